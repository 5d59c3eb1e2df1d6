// The parts of a file as they lie in it, whatever the format calls them: what `imagetool inspect` prints.

/// The parts a file consists of, in file order: chunks, marker segments, blocks.
///
/// A format says what the parts are and what is to be told about them; how that looks as text or JSON is the business
/// of whoever prints it. Made for looking at damaged files too: damage is told, not thrown.
public struct FileListing: Hashable, Sendable {
    /// The words of a format for its parts.
    public struct Vocabulary: Hashable, Sendable {
        /// What one part is called: `chunk`, `segment`.
        public let part: String
        /// What the name of a part is: `type`, `marker`.
        public let name: String

        /// The words of a format.
        public init(part: String, name: String) {
            self.part = part
            self.name = name
        }
    }

    /// Something told about a part, or about the whole file.
    public struct Fact: Hashable, Sendable {
        /// What a fact can be.
        public enum Value: Hashable, Sendable {
            case count(Int)
            /// A number that people know by its eight hexadecimal digits.
            case checksum(UInt32)
            /// Not in the file.
            case missing
        }

        /// A name for programs, in lower camel case: `restartCount`.
        public let key: String
        /// The fact itself.
        public let value: Value
        /// The same in words for people; empty where there is nothing to remark.
        public let remark: String

        /// A fact and what to say about it.
        public init(_ key: String, _ value: Value, remark: String = "") {
            self.key = key
            self.value = value
            self.remark = remark
        }
    }

    /// A fact that every part has and that people look for in a column of its own.
    public struct Column: Hashable, Sendable {
        /// The key of the fact.
        public let key: String
        /// What stands above the column.
        public let title: String

        /// A column for the facts with this key.
        public init(key: String, title: String) {
            self.key = key
            self.title = title
        }
    }

    /// One part.
    public struct Part: Hashable, Sendable {
        /// What the standard calls it.
        public let name: String
        /// Where it starts in the file, with what says its name and length.
        public let offset: Int
        /// Bytes of its body as its length says, whether or not they are there; `nil` for parts without.
        public let byteCount: Int?
        /// What is wrong with it in a few words, `cut off` or `wrong checksum`; `nil` where nothing is.
        public let damage: String?
        /// What it says in a few words; empty for parts that are not described.
        public let summary: String
        /// What else there is to tell about it.
        public let facts: [Fact]

        /// A part and what is told about it.
        public init(
            name: String, offset: Int, byteCount: Int?, damage: String?, summary: String, facts: [Fact]
        ) {
            self.name = name
            self.offset = offset
            self.byteCount = byteCount
            self.damage = damage
            self.summary = summary
            self.facts = facts
        }
    }

    /// The file's format.
    public let format: ImageFormat
    /// What the format calls its parts.
    public let vocabulary: Vocabulary
    /// Facts of parts that people see in columns.
    public let columns: [Column]
    /// The parts, those that are cut off or damaged included.
    public let parts: [Part]
    /// What there is to tell about the file as a whole.
    public let notes: [Fact]
    /// Bytes behind the last part listed.
    public let trailingByteCount: Int
    /// Whether there were more parts than asked for, so that the last ones are not listed.
    public let isCut: Bool

    /// A listing with everything in it.
    public init(
        format: ImageFormat, vocabulary: Vocabulary, columns: [Column] = [], parts: [Part], notes: [Fact] = [],
        trailingByteCount: Int, isCut: Bool
    ) {
        self.format = format
        self.vocabulary = vocabulary
        self.columns = columns
        self.parts = parts
        self.notes = notes
        self.trailingByteCount = trailingByteCount
        self.isCut = isCut
    }
}
