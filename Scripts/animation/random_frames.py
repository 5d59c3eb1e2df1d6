"""Random animations for checks of encoders: few colours or many, opaque, cut out or translucent, parts that change and parts that do not."""

import random

import numpy


def palette():
    count = random.choice([1, 2, 3, 5, 16, 17, 100, 255, 256, 257, 2000])
    colors = numpy.random.randint(0, 256, (count, 4), numpy.uint8)
    alphas = random.choice([[255], [255], [0, 255], [0, 100, 128, 255]])
    colors[:, 3] = numpy.random.choice(alphas, count)
    return colors


def random_frames():
    """Frames of one size, straight RGBA."""
    width, height = random.choice([(1, 1), (9, 7), (40, 30), (90, 70)])
    width, height = random.randint(1, width), random.randint(1, height)
    colors = palette()
    frame = numpy.zeros((height, width, 4), numpy.uint8) + random.choice(colors)
    frames = []
    for _ in range(random.choice([1, random.randint(1, 8)])):
        for _ in range(random.randint(0, 3)):
            x, y = sorted(random.choices(range(width + 1), k=2)), sorted(random.choices(range(height + 1), k=2))
            part = frame[y[0]:y[1], x[0]:x[1]]
            step = random.choice(["noise", "paint", "clear", "speckle", "back", "roll"])
            if step == "noise":
                part[:] = colors[numpy.random.randint(0, len(colors), part.shape[:2])]
            elif step == "paint":
                part[:] = random.choice(colors)
            elif step == "clear":
                part[:] = 0
            elif step == "speckle":
                at = numpy.random.rand(*part.shape[:2]) < 0.2
                part[at] = random.choice(colors)
            elif step == "back" and frames:
                frame = random.choice(frames).copy()
            elif step == "roll":
                frame = numpy.roll(frame, random.randint(1, 5), random.randint(0, 1))
        frame = frame.copy()
        frames.append(frame)
    return frames


def merged(frames, durations):
    """Frames of which equal neighbours are one: pixels, milliseconds, how many they were."""
    result = []
    for frame, duration in zip(frames, durations):
        if result and numpy.array_equal(result[-1][0], frame):
            result[-1][1] += duration
            result[-1][2] += 1
        else:
            result.append([frame, duration, 1])
    return result
