"""D32.3: blocks behind a budget, with the service there, away, slow, and refusing."""

from __future__ import annotations

import asyncio
import json
import threading
import time
import unittest
from datetime import datetime, timezone
from typing import Awaitable, Callable, List, Tuple
from unittest import mock

from support import Intake, Quiet, Server, Told, free_port, reporting

import farthing
from farthing import BudgetExceededError, Farthing


class Service(Server):
    """Answers checks of one budget, and takes events: each costs a dollar once it is stored."""

    def __init__(self, amount: float = 10.0, behind_s: float = 0.0) -> None:
        self.amount, self.behind_s, self.status, self.pause_s, self.checks = amount, behind_s, 200, 0.0, 0
        # Between the first bytes of an answer, each of which begins a socket's time limit anew.
        self.drip_s = 0.0
        self.stored: List[float] = []
        outer = self

        class Handler(Quiet):
            def do_POST(self) -> None:
                lines = self.body().split(b"\n")
                if "/check/" not in self.path:
                    outer.stored += [time.time() for line in lines if b'.after"' in line]
                    self.reply(200, b'{"ok": true}')
                    return
                outer.checks += 1
                time.sleep(outer.pause_s)
                as_of = time.time() - outer.behind_s
                spent = float(sum(1 for at in list(outer.stored) if at <= as_of))
                answer = {
                    "allowed": spent < outer.amount,
                    "spent": spent,
                    "remaining": outer.amount - spent,
                    "resets_at": "2026-12-01T00:00:00.000Z",
                    "as_of": datetime.fromtimestamp(as_of, timezone.utc).isoformat().replace("+00:00", "Z"),
                }
                body = json.dumps(answer).encode()
                if outer.drip_s:
                    self.send_response(200)
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    for at in range(10):
                        self.wfile.write(body[at : at + 1])
                        time.sleep(outer.drip_s)
                    self.wfile.write(body[10:])
                    return
                self.reply(outer.status, body)

        super().__init__(Handler)

    def client(self, **options: object) -> Tuple[Farthing, Told]:
        told = Told()
        settings = {"client_id": "c", "client_secret": "s", "api_key": "fk_1", "delay_ms": 0, **options}
        return Farthing(self.url, on_problem=told.append, **settings), told  # type: ignore[arg-type]


class GuardTest(unittest.TestCase):
    def serve(self, **options: float) -> Service:
        service = Service(**options)
        self.addCleanup(service.close)
        return service

    def test_a_loop_is_stopped_within_two_calls_of_its_bound(self) -> None:
        for behind_s in (0.0, 0.5):
            service = self.serve(amount=25.0, behind_s=behind_s)
            client, _ = service.client()
            with self.assertRaises(BudgetExceededError) as caught:
                for _ in range(100):
                    with client.guard("Free plan", of="acme"), client.call(model="m"):
                        time.sleep(0.08)
            client.flush()
            self.assertLessEqual(abs(len(service.stored) - 25), 2)
            self.assertEqual((caught.exception.budget, caught.exception.of), ("Free plan", "acme"))
            self.assertEqual(caught.exception.resets_at, datetime(2026, 12, 1, tzinfo=timezone.utc))
            self.assertIn("25 USD are spent, until 2026-12-01", str(caught.exception))
            client.close()

    def test_an_answer_is_remembered_for_a_second(self) -> None:
        service = self.serve()
        client, _ = service.client()
        with client.guard("b"):
            pass
        began = time.perf_counter()
        for _ in range(500):
            with client.guard("b"):
                pass
        self.assertLess((time.perf_counter() - began) / 500, 0.001)
        # One more at most, beside the calls, to learn what they cost.
        self.assertLessEqual(service.checks, 2)

    def test_in_coroutines_and_threads(self) -> None:
        service = self.serve(amount=5.0)
        client, _ = service.client()
        service.stored += [time.time() - 10] * 5

        async def ask() -> str:
            try:
                async with client.guard("b"):
                    return "made"
            except BudgetExceededError:
                return "refused"

        async def ask_all() -> List[str]:
            return list(await asyncio.gather(*(ask() for _ in range(20))))

        self.assertEqual(asyncio.run(ask_all()), ["refused"] * 20)
        outcomes: List[str] = []
        threads = [threading.Thread(target=lambda: outcomes.append(asyncio.run(ask()))) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(outcomes, ["refused"] * 8)

    def test_many_at_once_pass_the_amount_by_two_at_most(self) -> None:
        for is_async in (False, True):
            service = self.serve(amount=20.0)
            # Instances that ask the same service with the same key know the same.
            clients = [service.client()[0] for _ in range(2)]

            def begin(at: int, clients: List[Farthing] = clients) -> None:
                client = clients[at % 2]
                try:
                    with client.guard("b"), client.call(model="m"):
                        time.sleep(0.1)
                except BudgetExceededError:
                    pass

            async def begin_async(at: int, clients: List[Farthing] = clients) -> None:
                client = clients[at % 2]
                try:
                    async with client.guard("b"):
                        with client.call(model="m"):
                            await asyncio.sleep(0.1)
                except BudgetExceededError:
                    pass

            async def begin_all(begin_one: Callable[[int], Awaitable[None]] = begin_async) -> None:
                await asyncio.gather(*(begin_one(at) for at in range(100)))

            began = time.monotonic()
            if is_async:
                asyncio.run(begin_all())
            else:
                threads = [threading.Thread(target=begin, args=(at,)) for at in range(100)]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
            for client in clients:
                client.close()
            self.assertGreaterEqual(len(service.stored), 20)
            self.assertLessEqual(len(service.stored), 22)
            self.assertLess(time.monotonic() - began, 8)

    def test_what_another_budget_has_told_of_costs_refuses_nothing_by_itself(self) -> None:
        service = self.serve(amount=4.0)
        client, _ = service.client()
        known = client.guard("b")._watched._known
        for cost, count in ((50.0, 3), (0.2, 60)):
            # As if the calls of another budget had cost so much.
            client.flush()
            known.each, service.stored[:] = cost, []
            outcomes: List[str] = []

            def begin(of: str = str(cost), outcomes: List[str] = outcomes) -> None:
                try:
                    with client.guard("b", of=of), client.call(model="m"):
                        time.sleep(0.1)
                    outcomes.append("made")
                except BudgetExceededError as error:
                    outcomes.append(f"refused at {error.spent}")

            threads = [threading.Thread(target=begin) for _ in range(count)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            made = outcomes.count("made")
            self.assertGreaterEqual(made, min(count, 4), outcomes)
            self.assertLessEqual(made, 6, outcomes)
        client.close()

    def test_calls_that_end_late_are_waited_for_once(self) -> None:
        with mock.patch("farthing._guard._wait_for_cost_s", 0.5):
            service = self.serve()
            client, _ = service.client()
            blocks = [client.guard("b") for _ in range(3)]
            for block in blocks[:2]:
                block.__enter__()
            began = time.monotonic()
            blocks[2].__enter__()
            self.assertGreaterEqual(time.monotonic() - began, 0.5)
            others = [client.guard("b", of="acme") for _ in range(5)]
            began = time.monotonic()
            for block in others:
                block.__enter__()
            self.assertLess(time.monotonic() - began, 0.4)
            for block in blocks + others:
                block.__exit__(None, None, None)

    def test_without_a_name_nothing_is_asked(self) -> None:
        service = self.serve()
        client, told = service.client()
        with client.guard(None):  # type: ignore[arg-type]
            pass
        with self.assertRaises(BudgetExceededError), client.guard("", when_unknown="deny"):
            self.fail("it was made")
        self.assertEqual((service.checks, told.codes[:1]), (0, ["unknown_budget"]))
        self.assertIn("needs its name", told[0].message)

    def test_a_guard_that_warns_runs_the_block_and_tells_once(self) -> None:
        service = self.serve(amount=0.5)
        service.stored += [time.time() - 10]
        client, told = service.client()
        made = 0
        for _ in range(3):
            with client.guard("b", on_exceeded="warn"):
                made += 1
        self.assertEqual((made, told.codes), (3, ["exceeded"]))
        with self.assertRaises(KeyError), client.guard("c", on_exceeded="warn"):
            raise KeyError("of the host")

    def test_what_is_not_known_is_allowed_or_denied_as_asked_and_told_once(self) -> None:
        slow, dripping, revoked = self.serve(), self.serve(), self.serve()
        slow.pause_s, dripping.drip_s, revoked.status = 3.0, 0.3, 401
        away, told_of_away = reporting(Intake(), url=f"http://127.0.0.1:{free_port()}", api_key="fk_1")
        keyless, told_of_keyless = revoked.client(api_key="")
        cases: List[Tuple[Farthing, Callable[[], Told]]] = [
            (away, lambda: told_of_away),
            (keyless, lambda: told_of_keyless),
        ]
        for service in (slow, dripping, revoked):
            client, told = service.client()
            cases.append((client, lambda told=told: told))  # type: ignore[misc]
        for client, told_of in cases:
            began = time.monotonic()
            for _ in range(3):
                with client.guard("b"):
                    pass
                with self.assertRaises(BudgetExceededError) as caught, client.guard("b", when_unknown="deny"):
                    self.fail("it was made")
                self.assertIsNone(caught.exception.spent)
            self.assertLess(time.monotonic() - began, 1.9)
            self.assertEqual(told_of().codes, ["unknown_budget"])
            self.assertNotIn("fk_1", told_of()[0].message)

    def test_the_module_has_it(self) -> None:
        self.assertIs(farthing.BudgetExceededError, BudgetExceededError)
        self.assertTrue(callable(farthing.guard))


if __name__ == "__main__":
    unittest.main()
