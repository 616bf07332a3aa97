# SPDX-License-Identifier: Apache-2.0
"""Inputs that make sense to the networks that people run: pictures, speech, text, and what one network hands to the next.

All of them are made here, from fixed seeds, so that nothing has to be fetched and each run sees the same.
"""

import numpy as np

SEED = 7
SPEECH_RATE = 16000  # samples a second that most networks of speech are made for
SYLLABLE_SECONDS = 0.22
SYLLABLES_IN_A_WORD = 3  # a pause as long as a syllable follows each word
HIGHEST_HARMONIC = 40
FORMANT_WIDTH = 80.0  # Hz
FORMANT_WEIGHTS = 1.0, 0.6, 0.3
# The resonances of the mouth in Hz, for a, i, o, e and u: averages of men's voices by Peterson and Barney, 1952.
FORMANTS = np.array([[730, 1090, 2440], [270, 2290, 3010], [570, 840, 2410], [530, 1840, 2480], [300, 870, 2240]], float)
# These are numbers of tokens in the vocabulary of BERT without capitals: the tokens around a text, and the range of words.
TEXT_BEGIN, TEXT_END, FIRST_WORD, WORDS_END = 101, 102, 1996, 29613


def sample_picture(height, width):
    """A disk, a star whose rays get ever narrower, and a slope, from 0 to 1."""
    y, x = np.mgrid[:height, :width].astype(np.float32)
    picture = 0.25 + 0.5 * x / width
    star = np.hypot(y - 0.5 * height, x - 0.68 * width)
    rays = np.sign(np.sin(12 * np.arctan2(y - 0.5 * height, x - 0.68 * width)))
    picture[star < 0.4 * height] = 0.5 + 0.45 * rays[star < 0.4 * height]
    picture[np.hypot(y - 0.4 * height, x - 0.2 * width) < 0.25 * height] = 0.95
    picture[(y > 0.75 * height) & (y < 0.85 * height) & (x < 0.4 * width)] = 0.05
    return picture.astype(np.float32)


def colour_picture(height, width, scale=1.0, shift=0.0):
    """float[1, 3, height, width]: the picture above in red, its mirror image in green, a slope in blue; from shift to scale + shift."""
    red = sample_picture(height, width)
    blue = np.tile(np.linspace(0, 1, height, dtype=np.float32)[:, None], (1, width))
    return np.stack([red, red[:, ::-1], blue])[None] * np.float32(scale) + np.float32(shift)


def speech(samples, rate=SPEECH_RATE):
    """float[samples], from -1 to 1: words of vowels with pauses between them, and a quiet noise.

    A vowel is a sum of harmonics of a falling pitch. One is the louder the nearer it is to a formant of the vowel.
    """
    time = np.arange(samples) / rate
    syllable = (time / SYLLABLE_SECONDS).astype(int)
    within = time / SYLLABLE_SECONDS - syllable
    pitch = 140 - 30 * within
    phase = 2 * np.pi * np.cumsum(pitch) / rate
    formants = FORMANTS[syllable % len(FORMANTS)]
    sound = np.zeros(samples)
    for harmonic in range(1, HIGHEST_HARMONIC + 1):
        distance = (harmonic * pitch[:, None] - formants) / FORMANT_WIDTH
        sound += (FORMANT_WEIGHTS / (1 + distance**2)).sum(axis=1) * np.sin(harmonic * phase)
    sound *= np.sqrt(np.sin(np.pi * within)) * (syllable % (SYLLABLES_IN_A_WORD + 1) != SYLLABLES_IN_A_WORD)
    noise = np.random.default_rng(SEED).normal(0, 0.003, samples)
    return (0.5 * sound / np.abs(sound).max() + noise).astype(np.float32)


def speech_frames(frames, size, hop):
    """float[frames, size]: pieces of speech, each beginning `hop` samples behind the one before."""
    samples = speech(hop * (frames - 1) + size)
    return np.ascontiguousarray(np.lib.stride_tricks.sliding_window_view(samples, size)[::hop])


def band_energies(frames, bands):
    """float[frames, bands]: the logarithm of the energy of speech in bands of equal width, about from -3 to 3."""
    spectrum = np.abs(np.fft.rfft(speech_frames(frames, 512, 160) * np.hanning(512)))[:, :256] ** 2
    energies = np.log(spectrum.reshape(frames, bands, 256 // bands).mean(axis=2) + 1e-6)
    return ((energies - energies.mean()) / energies.std()).astype(np.float32)


def tokens(vocabulary, length):
    """int64[1, length]: from 1 on, since 0 stands for padding in most vocabularies."""
    return np.random.default_rng(SEED).integers(1, vocabulary, (1, length))


def sentence(length):
    """int64[1, length]: tokens of BERT's vocabulary, with those that mark the beginning and the end."""
    words = np.random.default_rng(SEED).integers(FIRST_WORD, WORDS_END, (1, length))
    words[0, 0], words[0, -1] = TEXT_BEGIN, TEXT_END
    return words


def features(*shape):
    """float[shape]: normally distributed numbers, since what one network hands to the next is nearly so."""
    return np.random.default_rng(SEED).normal(0, 1, shape).astype(np.float32)
