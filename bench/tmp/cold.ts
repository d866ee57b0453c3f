import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { makeEvent } from '../made-calls.ts';
import { startService, stopProcess } from '../start-service.ts';

const dir = mkdtempSync('/tmp/cold-');
const service = await startService(dir, {
  env: process.env.PROF ? { NODE_OPTIONS: '--cpu-prof --cpu-prof-dir=/tmp/coldprof' } : {},
});
const admin = async (path: string, body: unknown) =>
  (await (
    await fetch(`${service.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.adminToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  ).json()) as any;
const project = await admin('/admin/projects/', { name: 'Bench' });
const client = await admin(`/admin/projects/${project.id}/clients/`, { name: 'bench' });
const port = Number(new URL(service.url).port);
const cpu = (pid: number) => {
  const f = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return 10 * (Number(f[11]) + Number(f[12]));
};
const kids = () =>
  readFileSync(`/proc/${service.process.pid}/task/${service.process.pid}/children`, 'utf8')
    .trim()
    .split(/\s+/)
    .map(Number);
const engine = kids()[0]!;
let done = 0;
let bad = 0;
const startedAt = performance.now();
const seconds = Number(process.argv[2] ?? 15);
const n = Number(process.argv[3] ?? 1024);
let lat: number[] = [];
let last = { s: cpu(service.process.pid!), e: cpu(engine), o: process.cpuUsage() };
const timer = setInterval(() => {
  const s = cpu(service.process.pid!),
    e = cpu(engine),
    o = process.cpuUsage(last.o);
  lat.sort((a, b) => a - b);
  console.log(
    ((performance.now() - startedAt) / 1000).toFixed(1),
    's',
    done,
    'done',
    bad,
    'bad',
    'max',
    Math.round(lat.at(-1) ?? 0),
    'p50',
    Math.round(lat[lat.length >> 1] ?? 0),
    'cpu service',
    s - last.s,
    'engine',
    e - last.e,
    'load',
    Math.round((o.user + o.system) / 1000),
  );
  last = { s, e, o: process.cpuUsage() };
  done = 0;
  lat = [];
}, 1000);
const until = startedAt + seconds * 1000;
await Promise.all(
  Array.from(
    { length: n },
    () =>
      new Promise<void>((resolve) => {
        const socket = connect({ host: '127.0.0.1', port, noDelay: true });
        let at = 0;
        let got = '';
        const send = () => {
          const body = JSON.stringify(makeEvent());
          at = performance.now();
          socket.write(
            `POST /intake/${client.client_id}/ HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${client.secret}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
          );
        };
        socket.on('connect', send);
        socket.on('data', (d) => {
          got += d.toString('latin1');
          const len = /\r\ncontent-length: (\d+)/i.exec(got)?.[1];
          const end = got.indexOf('\r\n\r\n');
          if (end < 0 || !len || got.length < end + 4 + Number(len)) return;
          lat.push(performance.now() - at);
          done++;
          if (!got.startsWith('HTTP/1.1 200')) bad++;
          got = '';
          if (performance.now() < until) send();
          else {
            socket.destroy();
            resolve();
          }
        });
      }),
  ),
);
clearInterval(timer);
await stopProcess(service.process);
rmSync(dir, { recursive: true, force: true });
