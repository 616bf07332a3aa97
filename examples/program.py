"""What the programs share that fetch a model: options, and how what is missing becomes one sentence."""

import argparse
import contextlib
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tools" / "python"))
PIP_NAMES = {"PIL": "pillow"}  # where a module has another name than its package


def parser(description):
    made = argparse.ArgumentParser(description=description, allow_abbrev=False)
    made.add_argument(
        "--folder",
        type=pathlib.Path,
        default=ROOT / "build" / "packages",
        help="where packages are kept (default: build/packages)",
    )
    return made


@contextlib.contextmanager
def one_sentence():
    """What can't be done for want of a module, a package, a file or a device ends the program with a sentence and exit code 3."""
    try:
        yield
    except ModuleNotFoundError as error:
        leave(f"there is no module {error.name}: pip install {PIP_NAMES.get(error.name, error.name)} brings it")
    except ImportError as error:  # vkonnx is there, and its library is not
        leave(error)
    except Exception as error:
        import model_packages
        import vkonnx

        if not isinstance(error, (OSError, model_packages.PackageError, vkonnx.Error)):
            raise
        leave(error)


def leave(sentence):
    print(f"{pathlib.Path(sys.argv[0]).stem}: {sentence}", file=sys.stderr)
    sys.exit(3)
