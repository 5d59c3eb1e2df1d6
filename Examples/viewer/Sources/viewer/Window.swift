// The window: SDL in, pixels and keys out. Everything here runs on the main thread but for the call that wakes it.

import CSDL2
import ImageCodecs
import Synchronization

/// What SDL refused.
struct SDLError: Error, CustomStringConvertible {
    let description: String

    /// The last error, and what was to be done.
    init(_ task: String) { description = "\(task): \(String(cString: SDL_GetError()))" }
}

/// What somebody did.
enum Input {
    case quit, changed
    /// Rows of pictures, down.
    case scroll(rows: Double)
    case pages(Int)
    case start, end
    case step(Int)
    case back
    case open(x: Int, y: Int)
    case fullScreen
}

/// A window that draws bitmaps.
final class Window {
    private let window: OpaquePointer
    private let renderer: OpaquePointer
    /// Whether textures take premultiplied pixels. A renderer without a graphics card does not mix them.
    let takesPremultiplied: Bool
    private let blend: SDL_BlendMode

    /// Opens a window.
    ///
    /// - Parameters:
    ///   - width: in points of the screen.
    ///   - height: likewise.
    ///   - isSoftware: whether the processor draws.
    init(width: Int, height: Int, isSoftware: Bool) throws {
        SDL_SetMainReady()
        guard SDL_Init(SDL_INIT_VIDEO) == 0 else { throw SDLError("no screen") }
        let windowFlags = SDL_WINDOW_RESIZABLE.rawValue | SDL_WINDOW_ALLOW_HIGHDPI.rawValue
        let place = Int32(bitPattern: SDL_WINDOWPOS_CENTERED_MASK)
        guard let window = SDL_CreateWindow("", place, place, Int32(width), Int32(height), windowFlags) else {
            throw SDLError("no window")
        }
        let wanted =
            isSoftware
            ? SDL_RENDERER_SOFTWARE.rawValue : SDL_RENDERER_ACCELERATED.rawValue | SDL_RENDERER_PRESENTVSYNC.rawValue
        guard
            let renderer = SDL_CreateRenderer(window, -1, wanted)
                ?? SDL_CreateRenderer(window, -1, SDL_RENDERER_SOFTWARE.rawValue)
        else { throw SDLError("nothing draws") }
        (self.window, self.renderer) = (window, renderer)
        // One times what is drawn, the rest of one of what is there: what premultiplied pixels are made for.
        let premultiplied = SDL_ComposeCustomBlendMode(
            SDL_BLENDFACTOR_ONE, SDL_BLENDFACTOR_ONE_MINUS_SRC_ALPHA, SDL_BLENDOPERATION_ADD, SDL_BLENDFACTOR_ONE,
            SDL_BLENDFACTOR_ONE_MINUS_SRC_ALPHA, SDL_BLENDOPERATION_ADD)
        let probe = SDL_CreateTexture(renderer, SDL_PIXELFORMAT_ARGB8888.rawValue, 0, 1, 1)
        takesPremultiplied = SDL_SetTextureBlendMode(probe, premultiplied) == 0
        SDL_DestroyTexture(probe)
        blend = takesPremultiplied ? premultiplied : SDL_BLENDMODE_BLEND
    }

    deinit {
        SDL_DestroyRenderer(renderer)
        SDL_DestroyWindow(window)
        SDL_Quit()
    }

    var title: String {
        get { String(cString: SDL_GetWindowTitle(window)) }
        set { if newValue != title { SDL_SetWindowTitle(window, newValue) } }
    }

    /// The size in pixels.
    var size: PixelSize {
        var (width, height): (Int32, Int32) = (0, 0)
        SDL_GetRendererOutputSize(renderer, &width, &height)
        return PixelSize(width: Int(width), height: Int(height))
    }

    func toggleFullScreen() {
        let mask = SDL_WINDOW_FULLSCREEN_DESKTOP.rawValue
        SDL_SetWindowFullscreen(window, SDL_GetWindowFlags(window) & mask == mask ? 0 : mask)
    }

    // MARK: - Events

    /// Waits for something to do, at most `timeout` milliseconds, and takes all there is.
    func inputs(timeout: Int) -> [Input] {
        var inputs: [Input] = []
        var event = SDL_Event()
        guard SDL_WaitEventTimeout(&event, Int32(timeout)) == 1 else { return [] }
        repeat { if let input = input(event) { inputs.append(input) } } while SDL_PollEvent(&event) == 1
        return inputs
    }

    private func input(_ event: SDL_Event) -> Input? {
        switch SDL_EventType(event.type) {
        case SDL_QUIT: return .quit
        case SDL_WINDOWEVENT: return .changed
        case SDL_MOUSEWHEEL: return .scroll(rows: -Double(event.wheel.preciseY))
        case SDL_MOUSEBUTTONDOWN:
            guard event.button.button == 1 else { return event.button.button == 3 ? .back : nil }
            var (width, height): (Int32, Int32) = (1, 1)
            SDL_GetWindowSize(window, &width, &height)
            return .open(
                x: Int(event.button.x) * size.width / max(1, Int(width)),
                y: Int(event.button.y) * size.height / max(1, Int(height)))
        case SDL_KEYDOWN: return key(Int(event.key.keysym.sym))
        default: return nil
        }
    }

    private func key(_ key: Int) -> Input? {
        switch key {
        case Int(SDLK_q.rawValue): .quit
        case Int(SDLK_ESCAPE.rawValue): .back
        case Int(SDLK_DOWN.rawValue): .scroll(rows: 1)
        case Int(SDLK_UP.rawValue): .scroll(rows: -1)
        case Int(SDLK_RIGHT.rawValue): .step(1)
        case Int(SDLK_LEFT.rawValue): .step(-1)
        case Int(SDLK_PAGEDOWN.rawValue), Int(SDLK_SPACE.rawValue): .pages(1)
        case Int(SDLK_PAGEUP.rawValue): .pages(-1)
        case Int(SDLK_HOME.rawValue): .start
        case Int(SDLK_END.rawValue): .end
        case Int(SDLK_F11.rawValue): .fullScreen
        default: nil
        }
    }

    /// Ends a wait of ``inputs(timeout:)``, from any thread. Further calls before that are one with the first.
    static func wake() {
        guard !isWakePending.exchange(true, ordering: .acquiringAndReleasing) else { return }
        var event = SDL_Event()
        event.type = SDL_USEREVENT.rawValue
        SDL_PushEvent(&event)
    }

    private static let isWakePending = Atomic(false)

    /// Says that what was waited for is being taken: calls from now on wake again.
    static func willTake() { isWakePending.store(false, ordering: .releasing) }

    // MARK: - Drawing

    func clear() {
        SDL_SetRenderDrawColor(renderer, 24, 24, 26, 255)
        SDL_RenderClear(renderer)
    }

    func fill(x: Int, y: Int, width: Int, height: Int, red: UInt8, green: UInt8, blue: UInt8) {
        var rect = SDL_Rect(x: Int32(x), y: Int32(y), w: Int32(width), h: Int32(height))
        SDL_SetRenderDrawColor(renderer, red, green, blue, 255)
        SDL_RenderFillRect(renderer, &rect)
    }

    /// Draws a texture in its size.
    func draw(_ texture: Texture, x: Int, y: Int) {
        var rect = SDL_Rect(x: Int32(x), y: Int32(y), w: Int32(texture.size.width), h: Int32(texture.size.height))
        SDL_RenderCopy(renderer, texture.pointer, nil, &rect)
    }

    func present() { SDL_RenderPresent(renderer) }

    /// Makes a texture, or puts other pixels into one of the same size.
    ///
    /// The bitmap's format is ``takesPremultiplied``'s: its bytes go to the graphics card as they are.
    func texture(_ bitmap: Bitmap, replacing old: Texture?) -> Texture? {
        var texture = old
        if old?.size != bitmap.size {
            let format = takesPremultiplied ? SDL_PIXELFORMAT_ARGB8888 : SDL_PIXELFORMAT_ABGR8888
            let access = Int32(SDL_TEXTUREACCESS_STATIC.rawValue)
            guard
                let pointer = SDL_CreateTexture(
                    renderer, format.rawValue, access, Int32(bitmap.width), Int32(bitmap.height))
            else { return nil }
            SDL_SetTextureBlendMode(pointer, blend)
            texture = Texture(pointer, bitmap.size)
        }
        guard let texture else { return nil }
        let pitch = Int32(bitmap.bytesPerRow)
        bitmap.withBytes { bytes in
            bytes.withUnsafeBytes { _ = SDL_UpdateTexture(texture.pointer, nil, $0.baseAddress, pitch) }
        }
        return texture
    }
}

/// Pixels where the renderer has them.
final class Texture {
    let pointer: OpaquePointer
    let size: PixelSize

    init(_ pointer: OpaquePointer, _ size: PixelSize) { (self.pointer, self.size) = (pointer, size) }

    deinit { SDL_DestroyTexture(pointer) }
}
