// What an HTTP source is made of: limits, times, rules.

public import ImageCaching
public import ImageLoading

extension HTTPSource {
    /// What a source does and how long it waits. The values it begins with suit a server that gets addresses from strangers.
    public struct Configuration: Sendable {
        /// What may be asked: schemes, ports, hosts, networks.
        public var addresses = AddressPolicy.publicOnly
        /// Fields of each request.
        public var fields: HeaderFields = [
            "accept": "image/webp,image/apng,image/png,image/jpeg,image/gif,image/*;q=0.5,*/*;q=0.1"
        ]
        /// Changes each request before it is sent, those that follow redirects too: signatures, tokens. What it sets is sent to other
        /// origins as well; look at `url`.
        public var modify: (@Sendable (inout FetchRequest) async throws -> Void)?
        /// The most bytes of a body, as transferred and as decoded.
        public var maxByteCount = 64 << 20
        /// The most redirects.
        public var maxRedirectCount = 5
        /// Statuses whose body is a picture; 206 and 304 are dealt with if they were asked for.
        public var acceptedStatuses: Set<Int> = [200]
        /// Types whose body is read, as `image/*`; `nil` for all. A response without a type is read.
        public var acceptedTypes: [String]? = ["image/*", "application/octet-stream", "binary/octet-stream"]
        /// Time from the request to the head of the response, the connection included.
        public var responseTimeout = Duration.seconds(20)
        /// Time between two pieces of the body, while somebody waits for one.
        public var idleTimeout = Duration.seconds(10)
        /// Time for everything, redirects and resumed parts included.
        public var totalTimeout = Duration.seconds(60)
        /// Transfers from one host at once; others wait.
        public var maxTransferCountPerHost = 6
        /// Transfers at once; others wait.
        public var maxTransferCount = 64
        /// How often a transfer that broke is gone on with, if the server has ranges and a strong validator.
        public var maxResumeCount = 2
        /// Keeps parts of bodies whose transfer broke or was given up, so that a later request goes on there; `nil` for no such parts. May
        /// be the disk cache of the loader.
        public var partials: DiskCache?
        /// Parts smaller than this are not kept.
        public var minPartialByteCount = 64 << 10
        /// How long bytes are fresh of which the server says nothing, not even when they were changed.
        public var unsaidFreshness = Duration.zero
        /// The longest time that is guessed from when bytes were changed.
        public var maxHeuristicFreshness = Duration.seconds(86_400)
        /// How long bytes that are no longer fresh are delivered while the server fails, if it does not say so itself.
        public var staleIfError = Duration.zero
        /// Finds the addresses of a name.
        public var resolve: @Sendable (_ host: String) async throws -> [IPAddress] = systemAddresses
        /// For timeouts.
        public var clock = LoadClock.continuous
        /// For freshness.
        public var wallClock = WallClock.system

        /// Creates a configuration of these values.
        public init() {}
    }
}
