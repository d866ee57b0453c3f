"""What waits, what is repeated, what is dropped, and what the end of a process and a fork do to it (D15.3, D35.2)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import unittest
import unittest.mock
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Dict, List, Tuple

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from support import Intake, eventually, free_port, here, reporting, source

from farthing import Farthing
from farthing._sender import read_retry_after

stored = (200, {"ok": True}, {})


def send(farthing: Farthing, count: int) -> None:
    for index in range(count):
        farthing.track("tick", index=index)


# Longer than a busy machine lets a test wait between two events; `flush` ends it.
long_ms = 60_000


class Waiting(unittest.TestCase):
    def open(self, *outcomes: Any, **options: Any) -> Tuple[Intake, Farthing, Any]:
        intake = Intake(*outcomes)
        self.addCleanup(intake.close)
        return (intake, *reporting(intake, **options))

    def test_events_are_posted_in_batches_with_the_clients_secret(self) -> None:
        intake, farthing, told = self.open(max_batch=10, delay_ms=long_ms)
        send(farthing, 25)
        self.assertTrue(farthing.flush())
        self.assertEqual([event["index"] for event in intake.events], list(range(25)))
        self.assertLessEqual(max(intake.requests), 10)
        head = intake.headers[0]
        self.assertEqual(
            (head["path"], head["authorization"], head["content-type"]),
            ("/intake/c/", "Bearer s", "application/x-ndjson"),
        )
        self.assertEqual(told, [])

    def test_what_is_refused_for_now_is_sent_again_and_counts_once(self) -> None:
        busy = (429, {}, {"retry-after": "0"})
        intake, farthing, told = self.open(busy, (503, {}, {"retry-after": "0"}), stored, delay_ms=long_ms)
        send(farthing, 3)
        self.assertTrue(farthing.flush())
        self.assertEqual((intake.requests, farthing.queued, farthing.dropped), ([3, 3, 3], 0, 0))
        self.assertEqual(told.codes, ["unreachable"])
        send(farthing, 1)
        farthing.flush()
        self.assertEqual(told.codes, ["unreachable"])

    def test_a_service_that_is_killed_gets_all_events_and_those_that_it_gets_twice_are_the_same(self) -> None:
        # It dies after it has stored them, and does not come back for a moment.
        intake, farthing, told = self.open(
            (200, {}, {"cut": "1"}), (0, {}, {}), (0, {}, {}), stored, max_batch=100, delay_ms=long_ms
        )
        send(farthing, 300)
        self.assertTrue(farthing.flush())
        ids = [event["event_id"] for event in intake.events]
        self.assertEqual((len(ids), len(set(ids)), farthing.dropped), (400, 300, 0))
        self.assertEqual([event["index"] for event in intake.events], [*range(100), *range(300)])
        self.assertEqual(told.codes, ["unreachable"])

    def test_what_is_no_success_waits(self) -> None:
        for outcome in (
            (200, {}, {}),
            (302, {}, {"location": "/"}),
            (401, {"code": "unauthenticated"}, {}),
            (500, {}, {}),
        ):
            with self.subTest(outcome[0]):
                _, farthing, told = self.open(outcome)
                send(farthing, 2)
                eventually(lambda told=told: told)
                self.assertFalse(farthing.flush(within_ms=1))
                self.assertEqual((farthing.queued, told.codes), (2, ["unreachable"]))
                farthing.close(within_ms=0)

    def test_what_is_too_large_is_sent_in_parts_and_alone_it_is_dropped(self) -> None:
        too_large = (413, {"detail": "too large"}, {})
        intake, farthing, told = self.open(too_large, too_large, too_large, stored, delay_ms=long_ms)
        send(farthing, 4)
        self.assertTrue(farthing.flush())
        self.assertEqual(intake.requests[:3], [4, 2, 1])
        self.assertEqual(([event["index"] for event in intake.events], farthing.dropped), ([1, 2, 3], 1))
        self.assertEqual(told.codes, ["refused"])

    def test_what_the_service_finds_invalid_is_counted_and_told_once(self) -> None:
        some = (400, {"accepted": 1, "detail": "two are invalid"}, {})
        _, farthing, told = self.open(some, delay_ms=long_ms)
        for _ in range(2):
            send(farthing, 3)
            farthing.flush()
        self.assertEqual((farthing.dropped, told.codes), (4, ["refused"]))
        self.assertIn("two are invalid", told[0].message)

    def test_a_full_queue_drops_new_events_counts_them_and_tells_once(self) -> None:
        intake, farthing, told = self.open(max_queued=5, delay_ms=long_ms)
        send(farthing, 9)
        self.assertEqual((farthing.queued, farthing.dropped), (5, 4))
        farthing.flush()
        self.assertEqual([event["index"] for event in intake.events], [0, 1, 2, 3, 4])
        send(farthing, 6)
        self.assertEqual(told.codes, ["full", "full"])
        _, small, told = self.open(max_queued_bytes=300)
        farthing.track("large", text="x" * 400)
        small.track("large", text="x" * 400)
        self.assertEqual((small.dropped, told.codes), (1, ["full"]))

    def test_events_of_many_megabytes_go_in_requests_below_the_intakes_limit(self) -> None:
        intake, farthing, told = self.open(delay_ms=long_ms)
        for _ in range(20):
            farthing.track("large", text="x" * 300_000)
        farthing.track("larger", text="x" * (1 << 20))
        self.assertTrue(farthing.flush())
        self.assertEqual((len(intake.events), told.codes), (20, ["refused"]))
        self.assertLess(max(int(head["content-length"]) for head in intake.headers), 1 << 20)

    def test_close_sends_what_it_can_then_counts_the_rest_and_takes_nothing_more(self) -> None:
        _, farthing, told = self.open((503, {}, {}))
        send(farthing, 4)
        eventually(lambda: told)
        self.assertFalse(farthing.close(within_ms=20))
        send(farthing, 1)
        self.assertEqual((farthing.queued, farthing.dropped), (0, 5))
        self.assertEqual(told.codes, ["unreachable", "unsent"])

    def test_wrong_settings_are_told_once_and_nothing_is_sent(self) -> None:
        for settings in (
            {"url": ""},
            {"client_id": ""},
            {"url": "ftp://a"},
            {"client_secret": "a\nb"},
            {"timeout_ms": "soon"},
        ):
            with self.subTest(settings):
                _, farthing, told = self.open(**settings)
                send(farthing, 2)
                with farthing.call(model="m") as report:
                    report({"usage": {"prompt_tokens": 1}})
                self.assertTrue(farthing.flush())
                self.assertEqual(len(told), 1)
                self.assertEqual(farthing.queued, 0)

    def test_a_callback_that_fails_and_what_can_not_be_sent_fail_nothing(self) -> None:
        def failing(_problem: object) -> None:
            raise RuntimeError("mine")

        intake, farthing, _ = self.open(on_problem=failing)
        round_about: List[object] = []
        round_about.append(round_about)

        class Hostile:
            def __str__(self) -> str:
                raise RuntimeError("mine")

        farthing.track("odd", what=round_about, number=float("nan"), which=Hostile())
        farthing.track("even", what=round_about, number=float("nan"), which=object)
        farthing.flush()
        self.assertEqual([event["event_type"] for event in intake.events], ["even"])
        self.assertIsNone(intake.events[0]["number"])

    def test_a_fault_of_the_sending_thread_is_told_and_keeps_no_processor_busy(self) -> None:
        _, farthing, told = self.open()
        with unittest.mock.patch.object(farthing._queue, "_send", side_effect=RuntimeError("broken")) as broken:
            send(farthing, 3)
            eventually(lambda: told)
            self.assertFalse(farthing.flush(within_ms=100))
        self.assertEqual((broken.call_count, told.codes), (1, ["internal"]))

    def test_many_threads_lose_nothing(self) -> None:
        intake, farthing, told = self.open(max_queued=20_000)
        threads = [threading.Thread(target=send, args=(farthing, 500)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertTrue(farthing.flush())
        self.assertEqual((len(intake.events), len({event["event_id"] for event in intake.events})), (4000, 4000))
        self.assertEqual(told, [])

    def test_a_time_to_wait_is_seconds_or_a_date(self) -> None:
        self.assertEqual(
            [read_retry_after(text) for text in (None, "", "7", "soon", "99999999")], [None, None, 7, None, 3600]
        )
        self.assertAlmostEqual(read_retry_after("Wed, 21 Oct 2099 07:28:00 GMT") or 0, 3600)


# Makes a call in a child as its first argument says, and prints what it was told.
script = """
import atexit, multiprocessing, os, signal, sys, threading
if sys.argv[1] == "last":
    atexit.register(lambda: call("last"))
sys.path.insert(0, {source!r})
import farthing
assert threading.active_count() == 1
def call(customer):
    with farthing.call(model="m", customer=customer) as report:
        report({{"usage": {{"prompt_tokens": 1}}}})
    assert threading.active_count() == 2, threading.enumerate()
def child():
    call("child")
    return 0
way = sys.argv[1]
# Busy machines are no part of these tests.
import farthing._queue
farthing._queue._exit_s = 0.5 if way == "silent" else 30
if way in ("os._exit", "killed"):
    farthing._default = farthing.Farthing(delay_ms=60_000)
if way == "error":
    call("parent")
    raise ValueError("mine")
if way in ("plain", "away", "silent", "last"):
    call("parent")
if way == "late":
    atexit.register(call, "late")
    call("parent")
if way == "fork":
    call("parent")
    # Whatever another thread holds at this moment is held for ever in the child.
    default = farthing._default
    default._guarded_by = ("ftp://nowhere", "fk_x")
    guard = farthing.guard("b")
    watched, held, forked = guard._watched, threading.Event(), threading.Event()
    locks = (default._queue._sending, default._queue._lock, default._problems._lock, watched.asking, watched.lock)
    def hold():
        [lock.acquire() for lock in locks]
        held.set()
        forked.wait()
        [lock.release() for lock in locks]
    holding = threading.Thread(target=hold)
    holding.start()
    held.wait()
    children = []
    for _ in range(3):
        pid = os.fork()
        if pid == 0:
            # Tells a problem, and is told one of a budget.
            farthing._default._problems._tell = lambda _problem: None
            farthing.wrap(None)
            with farthing.guard("b"), guard:
                call("child")
            sys.exit(0)
        children.append(pid)
    forked.set()
    holding.join()
    for pid in children:
        assert os.waitpid(pid, 0)[1] == 0
if way == "processes":
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=child) for _ in range(2)]
    [one.start() for one in workers]
    [one.join() for one in workers]
    call("parent")
if way == "os._exit":
    call("parent")
    os._exit(0)
if way in ("killed", "handled"):
    if way == "handled":
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    call("parent")
    os.kill(os.getpid(), signal.SIGTERM)
    signal.pause()
if way == "import":
    call("parent")
    # As a server does with an application that fails when it is imported.
    sys.path.insert(0, {tests!r})
    import standins.failing
if way == "cancelled":
    import asyncio
    async def wait():
        with farthing.call(model="m", customer="cancelled"):
            await asyncio.sleep(60)
    async def main():
        tasks = [asyncio.ensure_future(wait()) for _ in range(3)]
        await asyncio.sleep(0)
        [one.cancel() for one in tasks]
        await asyncio.gather(*tasks, return_exceptions=True)
    asyncio.run(main())
"""


class Importing(unittest.TestCase):
    def test_importing_the_package_imports_next_to_nothing_and_starts_no_thread(self) -> None:
        code = (
            "import sys; known = set(sys.modules); import farthing; new = set(sys.modules) - known; import threading; "
            "print(sorted(new), threading.active_count())"
        )
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        ran = subprocess.run([sys.executable, "-S", "-c", code], env=environment, capture_output=True, text=True)
        self.assertEqual(ran.stdout, "['__future__', 'atexit', 'farthing'] 1\n", ran.stderr)


class Ending(unittest.TestCase):
    ways = (
        "plain",
        "error",
        "late",
        "fork",
        "processes",
        "os._exit",
        "killed",
        "handled",
        "import",
        "cancelled",
        "last",
    )
    ran: Dict[str, Any]

    @classmethod
    def setUpClass(cls) -> None:
        """Runs all ways at once, because they mostly wait."""
        silent = Intake()
        silent.pause_s = 60
        intakes = {way: Intake() for way in cls.ways}
        urls = {
            **{way: one.url for way, one in intakes.items()},
            "away": f"http://127.0.0.1:{free_port()}",
            "silent": silent.url,
        }
        with ThreadPoolExecutor(len(urls)) as pool:
            runs = {way: pool.submit(cls.run_script, way, url) for way, url in urls.items()}
        cls.ran = {way: (intakes.get(way), *run.result()) for way, run in runs.items()}
        for one in (silent, *intakes.values()):
            one.close()

    @staticmethod
    def run_script(way: str, url: str) -> Tuple[int, str]:
        environment = {**os.environ, "FARTHING_URL": url, "FARTHING_CLIENT_ID": "c", "FARTHING_CLIENT_SECRET": "s"}
        ran = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", script.format(source=source, tests=here), way],
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            cwd=here,
        )
        return ran.returncode, ran.stdout + ran.stderr

    def sent(self, way: str) -> Tuple[List[str], int, str]:
        intake, code, output = self.ran[way]
        customers = [event["tags"]["customer"] for event in intake.of("after")]
        self.assertEqual(len(intake.events), 2 * len(customers))
        return sorted(customers), code, output

    def test_a_process_that_ends_sends_what_waits(self) -> None:
        self.assertEqual(self.sent("plain"), (["parent"], 0, ""))
        customers, code, output = self.sent("error")
        self.assertEqual((customers, code), (["parent"], 1))
        self.assertTrue(output.endswith("ValueError: mine\n"))
        self.assertEqual(self.sent("late")[0], ["late", "parent"])
        self.assertEqual(self.sent("last")[0], ["last", "parent"])

    def test_trap_21_children_send_what_is_theirs_and_the_parents_stays_the_parents(self) -> None:
        self.assertEqual(self.sent("fork"), (["child"] * 3 + ["parent"], 0, ""))
        self.assertEqual(self.sent("processes"), (["child"] * 2 + ["parent"], 0, ""))

    def test_a_process_that_is_cut_short_ends_at_once_without_its_last_events(self) -> None:
        self.assertEqual(self.sent("os._exit"), ([], 0, ""))

    def test_a_signal_that_nothing_handles_ends_a_process_at_once_and_one_that_exits_sends_what_waits(self) -> None:
        self.assertEqual(self.sent("killed"), ([], -signal.SIGTERM, ""))
        self.assertEqual(self.sent("handled"), (["parent"], 0, ""))

    def test_a_process_that_fails_when_it_imports_its_application_sends_what_waits(self) -> None:
        customers, code, output = self.sent("import")
        self.assertEqual((customers, code), (["parent"], 1))
        self.assertTrue(output.endswith("RuntimeError: mine\n"))

    def test_tasks_that_are_cancelled_are_aborted_calls(self) -> None:
        intake, code, output = self.ran["cancelled"]
        self.assertEqual((len(intake.events), code, output), (6, 0, ""))
        self.assertEqual([event["aborted"] for event in intake.of("error")], [True] * 3)

    def test_a_process_whose_service_is_away_or_silent_ends_all_the_same_and_says_so(self) -> None:
        _, code, output = self.ran["away"]
        self.assertEqual(code, 0)
        told = r"farthing: events wait to be sent: .*\nfarthing: the process ends with 2 events left\n"
        self.assertRegex(output, told)
        self.assertEqual(self.ran["silent"][1:], (0, "farthing: the process ends with 2 events left\n"))


if __name__ == "__main__":
    unittest.main()
