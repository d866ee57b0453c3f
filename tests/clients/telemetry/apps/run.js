// Runs the apps that are named as arguments, one after the other, as one process of a user.
import { finish, startTracing } from './tracing.js';

const tracerProvider = startTracing();
const toFlush = [tracerProvider];
for (const app of process.argv.slice(2)) {
  const { run } = await import(`./${app}.js`);
  toFlush.push(...((await run()) ?? []));
}
await finish(toFlush);
