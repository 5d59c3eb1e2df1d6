// What a route knows beside its request.

import Hummingbird
import NIOCore

/// What the routes are given with a request: the connection that it came on.
struct ConnectionContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}
