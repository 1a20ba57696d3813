"""Work in threads of their own, beside the event loop, and the way back into it."""

import asyncio
import threading
from collections.abc import Callable


async def in_thread(work: Callable[[], None], name: str) -> None:
    """Do the work in a thread called `name`, and raise here what it raises. Whoever is cancelled meanwhile
    leaves the thread to end by itself. (The loop's own pool is joined at the end, and a dead host answers
    after seconds.)"""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()

    def do() -> None:
        try:
            work()
        except BaseException as error:
            tell(loop, _settle, done, error)
        else:
            tell(loop, _settle, done, None)

    threading.Thread(target=do, name=name, daemon=True).start()
    await done


def tell(loop: asyncio.AbstractEventLoop, call: Callable[..., None], *args: object) -> None:
    """From a thread into the loop."""
    try:
        loop.call_soon_threadsafe(call, *args)
    except RuntimeError:  # the loop has ended: there is nobody left to tell
        pass


def _settle(future: "asyncio.Future[None]", error: BaseException | None) -> None:
    if future.done():  # given up meanwhile
        return
    if error is None:
        future.set_result(None)
    else:
        future.set_exception(error)
