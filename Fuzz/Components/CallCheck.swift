// Incremental decoders called in any order: whatever is asked in between, the bytes decide.

import CodecTestSupport
import ImageCodecsCore

enum CallCheck {
    static func violations(_ bytes: [UInt8]) -> [String] {
        var source = DecisionSource(bytes)
        let format = source.pick(StructuredFormat.allCases)
        var options = DecodingOptions()
        options.strictness = source.pick(DecodingOptions.Strictness.allCases)
        if source.oneIn(3) {
            options.size = .fitting(PixelSize(width: 1 + source.below(40), height: 1 + source.below(40)))
        }
        if source.oneIn(4) { options.pixelFormat = .rgba }
        options.limits.maxPixelCount = 1 << 18
        let calls = source.bytes(80)
        var fileSource = DecisionSource(seed: UInt64(source.below(1 << 16)))
        fileSource.isCalm = true
        let file = format.file(fileSource)
        let meter = MemoryMeter(limit: 256 << 20)
        options.memoryMeter = meter
        let found = run(calls, file, format, options)
        return meter.current == 0 ? found : found + ["\(meter.current) bytes are held by nobody"]
    }

    /// What became of the bytes.
    private struct Outcome: Equatable {
        var bitmap: Bitmap?
        var metadata: ImageMetadata?
        var error: String?
    }

    private static func run(
        _ calls: [UInt8], _ file: [UInt8], _ format: StructuredFormat, _ options: DecodingOptions
    ) -> [String] {
        let expected = outcome(file, format, options)
        var (decoder, position, isOver) = (format.coder.makeIncrementalDecoder(options: options), 0, false)
        var (kept, pictures): ([any IncrementalImageDecoder], [RasterImage]) = ([], [])
        var (error, found): (ImageError?, [String]) = (nil, [])
        func note(_ failure: ImageError) {
            if let error, error.code != failure.code { found.append("\(failure) behind \(error)") }
            error = failure
        }
        for (index, call) in calls.enumerated() where !isOver {
            switch call & 15 {
            case 0...6:
                let count = min(file.count - position, [1, 3, 30, 200, 3000][index % 5] * (1 + Int(call >> 4)))
                do throws(ImageError) {
                    _ = try decoder.append(file.span.extracting(position..<position + count))
                } catch { note(error) }
                position += count
            case 7: do throws(ImageError) { _ = try decoder.append([UInt8]().span) } catch { note(error) }
            case 8:
                if let picture = (try? decoder.image()) ?? nil, pictures.count < 4 { pictures.append(picture) }
            case 9: _ = try? decoder.animation()
            case 10: if kept.count < 3 { kept.append(decoder) }
            case 11:
                if var copy = kept.popLast() {
                    _ = try? copy.append([call, 0, 255].span)
                    _ = try? copy.finish()
                    _ = try? copy.image()
                }
            case 12: _ = decoder.info
            case 13 where call >> 4 == 0: isOver = true
            default: break
            }
        }
        if !isOver, position < file.count {
            do throws(ImageError) { _ = try decoder.append(file.span.extracting(position..<file.count)) } catch {
                note(error)
            }
        }
        do throws(ImageError) { _ = try decoder.finish() } catch { note(error) }
        let picture = (try? decoder.image()) ?? nil
        // Nothing comes after the end, and asking again changes nothing.
        _ = try? decoder.append([1, 2, 3].span)
        _ = try? decoder.finish()
        if let again = (try? decoder.image()) ?? nil, again.bitmap != picture?.bitmap {
            found.append("another picture behind the end")
        }
        guard !isOver else { return found }
        // All frames of an animation at once take more than pieces do.
        if expected.error == "limitExceeded", error == nil { return found }
        if error?.code != expected.error { found.append("\(error as Any), not \(expected.error as Any)") }
        if expected.error == nil, picture?.bitmap != expected.bitmap { found.append("other pixels than in one shot") }
        if expected.error == nil, picture?.metadata != expected.metadata {
            found.append("other metadata than in one shot")
        }
        return found
    }

    private static func outcome(_ file: [UInt8], _ format: StructuredFormat, _ options: DecodingOptions) -> Outcome {
        do throws(ImageError) {
            let image = try format.coder.decode(ImageData(file), options: options)
            return Outcome(bitmap: image.bitmap, metadata: image.metadata)
        } catch {
            return Outcome(error: error.code)
        }
    }
}
