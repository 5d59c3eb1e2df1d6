"""Clients with manners of their own, good and bad, for load: what each is answered, and after how long."""
import asyncio, socket, struct, time

from client import answer, check, chunk, connect, head, post, size_of

MAX_WAIT = 1.5  # seconds, for what is to be answered at once
IDLE_TIME, DRAIN_TIME, STOP_TIME = 15, 2, 2  # ServerLimits


async def within(seconds, work, name):
    try:
        return await asyncio.wait_for(work, seconds)
    except asyncio.TimeoutError:
        raise AssertionError(f"{name}: nothing within {seconds} s") from None


async def is_closed(reader):
    """Returns when the server has closed the connection."""
    try:
        while await reader.read(65536):
            pass
    except ConnectionError:
        pass


# Answers before the end of their request

async def chunks_without_end(port, path, byte_count, waits_for_end):
    """A chunked body that is too long: the answer comes at once, and a client that does not stop loses its connection."""
    name = f"{byte_count >> 20} MB in chunks to {path}"
    reader, writer = await connect(port)
    start, sent, piece = time.monotonic(), 0, chunk(bytes(1 << 16))
    reading = asyncio.create_task(answer(reader))
    writer.write(head(path))
    try:
        while sent < byte_count and (waits_for_end or not reading.done()):
            writer.write(piece)
            await writer.drain()
            sent += 1 << 16
            check(time.monotonic() - start < 10, f"{name}: taken for 10 s")
    except ConnectionError:
        pass
    status, fields, _ = await within(MAX_WAIT, reading, name)
    check(status == 413, f"{name}: {status}")
    check(fields.get("connection") == "close", f"{name}: {fields}")
    await within(DRAIN_TIME + MAX_WAIT, is_closed(reader), name)
    check(time.monotonic() - start < 10, f"{name}: {time.monotonic() - start:.1f} s")
    writer.close()


async def refused_by_header(port, name, path, fields, expected):
    """The header alone is answered, without 100 Continue; a client that sends nothing more loses its connection."""
    reader, writer = await connect(port)
    accept = dict(field.split(": ") for field in fields).get("Accept", "*/*")
    length = 100 << 20 if expected == 413 else 1000
    writer.write(head(path, length, accept, fields=[*fields[1:], "Expect: 100-continue"]))
    status, got, _ = await within(MAX_WAIT, answer(reader), name)
    check((status, got.get("connection")) == (expected, "close"), f"{name}: {status} {got}")
    await within(DRAIN_TIME + MAX_WAIT, is_closed(reader), name)
    writer.close()


async def expects_continue(port, path, data, kind, expected):
    """The body is sent when 100 Continue has come, as curl does for one of more than a megabyte."""
    reader, writer = await connect(port)
    writer.write(head(path, len(data), kind, fields=["Expect: 100-Continue"]))
    status, _, _ = await within(MAX_WAIT, answer(reader), "100-continue")
    check(status == 100, f"100-continue: {status}")
    writer.write(data)
    status, _, body = await within(10, answer(reader), "after 100-continue")
    check(status == 200 and body == expected, f"after 100-continue: {status}")
    writer.close()


async def wrong_method(port, method, path, allowed):
    """Is answered with those that are right; the next request on the connection is answered too."""
    reader, writer = await connect(port)
    writer.write(head(path, 0, method=method) + head("/health", 0, method="GET"))
    status, fields, _ = await within(MAX_WAIT, answer(reader, method != "HEAD"), method)
    check((status, fields.get("allow")) == (405, allowed), f"{method} {path}: {status} {fields}")
    status, _, _ = await within(MAX_WAIT, answer(reader), f"GET after {method}")
    check(status == 200, f"GET after {method} {path}: {status}")
    writer.close()


async def health_by_head(port):
    """HEAD is answered like GET without a body, and the next request on the connection too."""
    reader, writer = await connect(port)
    writer.write(head("/health", 0, method="HEAD") + head("/health", 0, method="GET"))
    status, fields, _ = await within(MAX_WAIT, answer(reader, False), "HEAD")
    check(status == 200 and int(fields["content-length"]) > 0, f"HEAD /health: {status} {fields}")
    status, _, body = await within(MAX_WAIT, answer(reader), "GET after HEAD")
    check(status == 200 and body.startswith(b"{"), f"GET after HEAD: {status} {body[:80]}")
    writer.close()


# Forms

def form(*parts, boundary="edge", end="--"):
    """A form of (header lines, content)."""
    lines = ["".join(line + "\r\n" for line in header).encode() + b"\r\n" + content for header, content in parts]
    start = f"--{boundary}\r\n".encode()
    return b"".join(start + part + b"\r\n" for part in lines) + f"--{boundary}{end}\r\n".encode()


def forms(data):
    """Name, type, body, status."""
    disposition = "Content-Disposition: form-data; "
    text = ([disposition + 'name="size; filename=no.png"'], b"\r\n--edg\r\n--edgewise\r\n\r\r")
    no_file = ([disposition + 'name="photo"; filename=""', "Content-Type: application/octet-stream"], b"")
    file = ([disposition + r'name="photo"; filename="a \"; b\".png"', "Content-Type: image/png"], data)
    other = (["content-disposition:form-data;filename*=UTF-8''b.png"], b"another file")
    folded = (["X: y", "Content-Disposition: form-data; name=photo;", "\tfilename=a.png"], data)
    kind, long = "multipart/form-data; boundary=edge", "X: " + "y" * 9000
    return [
        ("a file", kind, form(file), 200), ("a file after texts", kind, form(text, no_file, file), 200),
        ("the first of two files", kind, form(file, other, text), 200),
        ("two files, the first no picture", kind, form(other, file), 415),
        ("a line that goes on", kind, form(folded), 200), ("what is around parts", kind, b"before\r\n" + form(file) + b"after", 200),
        ("a quoted boundary", 'Multipart/Form-Data; charset=utf-8; BOUNDARY="an edge=;"', form(text, file, boundary="an edge=;"), 200),
        ("the longest boundary", kind + "e" * 66, form(file, boundary="edge" + "e" * 66), 200),
        ("a boundary that is too long", kind + "e" * 67, form(file, boundary="edge" + "e" * 67), 400),
        ("no boundary", "multipart/form-data", form(file), 400), ("an empty boundary", 'multipart/form-data; boundary=""', form(file), 400),
        ("another boundary", kind + "s", form(file), 400), ("no file", kind, form(text, no_file), 400), ("no part", kind, form(), 400),
        ("nothing", kind, b"", 400), ("no end", kind, form(text, file)[:-12], 400),
        ("a long header", kind, form(([long], b""), file), 400), ("a header without end", kind, b"--edge\r\n" + b"X" * 100_000, 400),
        ("many header lines", kind, form((["a: b"] * 3000, b""), file), 400),
        ("lines that end in CR", kind, form(([disposition + 'filename="a.png"\rX: y'], data)), 400),
        ("delimiters without end", kind, b"\r\n--edge" * 10_000, 400), ("line ends without end", kind, b"\r" * 200_000, 400),
    ]


async def send_form(port, name, kind, body, status, expected, **cut):
    got, _, answered = await within(20, post(port, "/thumbnail?size=100", body, "image/png", fields=["Content-Type: " + kind], **cut), name)
    check(got == status, f"{name}, a form {cut}: {got} for {status}: {answered[:200]}")
    check(status != 200 or answered == expected, f"{name}, a form: another picture")


async def preview_of_form(port, data, size):
    body = form((["Content-Disposition: form-data; name=a"], b"text"), (["Content-Disposition: form-data; filename=a"], data))
    status, _, parts = await post(port, "/preview?size=300", body, pause=0.02, fields=["Content-Type: multipart/form-data; boundary=edge"])
    pictures = [part.split(b"\r\n\r\n", 1)[1][:-2] for part in parts.split(b"--picture")[1:-1]]
    check(status == 200 and pictures and all(size_of("image/jpeg", picture) == size for picture in pictures), "preview of a form")


# Slow ones, and those that go

async def no_more_bytes(port, name, sent, expected):
    """Sends a part of a request and waits: it is answered with a status, or with none, when the idle time is over, or
    earlier if others wait for the memory of its upload."""
    reader, writer = await connect(port)
    start = time.monotonic()
    writer.write(sent)
    if expected:
        status, _, _ = await within(IDLE_TIME + 3, answer(reader), name)
        check(status == expected, f"{name}: {status}")
    await within(IDLE_TIME + DRAIN_TIME + 4, is_closed(reader), name)
    check(time.monotonic() - start > (5 if expected else IDLE_TIME) - 1, f"{name}: closed after {time.monotonic() - start:.1f} s")
    writer.close()


async def slow_header(port):
    """A byte of a header each half second."""
    reader, writer = await connect(port)
    reading = asyncio.create_task(is_closed(reader))
    start = time.monotonic()
    while not reading.done() and time.monotonic() - start < IDLE_TIME + 4:
        writer.write(b"x")
        await asyncio.wait([reading], timeout=0.5)
    check(reading.done(), "a slow header: not closed")
    writer.close()


async def reads_nothing(port, data):
    """Asks for more pictures than the system's buffers hold, and reads none: the memory and the connection are given back."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.setblocking(False)
    loop = asyncio.get_running_loop()
    await loop.sock_connect(connection, ("127.0.0.1", port))
    await loop.sock_sendall(connection, head("/thumbnail?size=1024", len(data), "image/png") + data)
    return connection


async def wrong_lengths(port, data, expected):
    """A body that is longer than its length belongs to nobody; one that is shorter never ends; some framings are none."""
    reader, writer = await connect(port)
    writer.write(head("/thumbnail?size=100", len(data), "image/png") + data + b"more of it\r\n\r\n")
    status, _, body = await within(10, answer(reader), "a long body")
    check(status == 200 and body == expected, f"a long body: {status}")
    writer.close()
    reader, writer = await connect(port)
    writer.write(head("/thumbnail", len(data)) + data[:-10])
    writer.write_eof()
    await within(MAX_WAIT, is_closed(reader), "a short body")
    writer.close()
    for name, fields in [("two lengths", ["Content-Length: 5", "Content-Length: 6"]), ("no number", ["Content-Length: five"]),
                         ("a negative length", ["Content-Length: -5"]), ("length and chunks", ["Content-Length: 5", "Transfer-Encoding: chunked"])]:
        reader, writer = await connect(port)
        writer.write("\r\n".join(["POST /thumbnail HTTP/1.1", "Host: localhost", *fields, "", "hello"]).encode())
        status, _, _ = await within(MAX_WAIT, answer(reader), name)
        check(status == 400, f"{name}: {status}")
        await within(DRAIN_TIME + MAX_WAIT, is_closed(reader), name)
        writer.close()


async def many_without_waiting(port):
    """A hundred requests in one piece are answered; a client that sends far more loses its connection, and others are answered."""
    one = head("/health", 0, method="GET")
    reader, writer = await connect(port)
    writer.write(one * 100)
    for _ in range(100):
        status, _, _ = await within(10, answer(reader), "a hundred requests")
        check(status == 200, f"a hundred requests: {status}")
    writer.close()
    flooding = [await connect(port) for _ in range(4)]
    for _, writer in flooding:
        writer.write(one * 20_000)
    reader, writer = await connect(port)
    writer.write(one)
    status, _, _ = await within(2 * MAX_WAIT, answer(reader), "a request among many")
    check(status == 200, f"a request among many: {status}")
    for reader, _ in flooding:
        await within(MAX_WAIT, is_closed(reader), "20,000 requests")
    for _, writer in [(reader, writer), *flooding]:
        writer.close()


async def leaves_during_answer(port, data):
    """Reads some of the answer and resets the connection."""
    reader, writer = await connect(port)
    writer.write(head("/preview?size=300", len(data)) + data)
    await reader.read(100)
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.close()


async def stuck_at_stop(port, data, stop):
    """Uploads that go on, or do not, when the server is asked to stop; returns how long they lasted."""
    whole = head("/thumbnail", len(data)) + data
    stuck = [("a stuck upload", whole[:len(whole) // 2], 503), ("a stuck preview", (head("/preview", len(data)) + data)[:len(whole) // 2], 200),
             ("a stuck chunked body", head("/thumbnail") + b"ffff\r\n123", 503), ("a stuck header", whole[:20], None), ("no request", b"", None)]
    connections = [await connect(port) for _ in stuck]
    for (_, writer), (_, sent, _) in zip(connections, stuck):
        writer.write(sent)
        await writer.drain()
    await asyncio.sleep(0.3)
    start = time.monotonic()
    stop()
    for (reader, writer), (name, _, expected) in zip(connections, stuck):
        if expected:
            line = await within(STOP_TIME + MAX_WAIT, reader.readline(), name)
            check(line.split()[1:2] == [b"%d" % expected], f"{name} when the server stops: {line}")
        await within(STOP_TIME + DRAIN_TIME + MAX_WAIT, is_closed(reader), name)
        writer.close()
    return time.monotonic() - start
