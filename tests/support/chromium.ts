// A real browser, driven by playwright-core: the one that CHROMIUM names, or the first on PATH. All files of a worker share it.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** The first has no user interface, so it takes a sixth less processor time than the others. */
const programs = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
let browserOfWorker: Promise<Browser> | undefined;

/** The path of a Chromium on this machine, or undefined. */
export function findChromium(): string | undefined {
  const { CHROMIUM, PATH = '' } = process.env;
  if (CHROMIUM) return CHROMIUM;
  return PATH.split(delimiter)
    .flatMap((place) => programs.map((program) => join(place, program)))
    .find((path) => existsSync(path));
}

/** The browser of this worker, which ends with it. A test closes the pages that it opens. */
export function openChromium(): Promise<Browser> {
  browserOfWorker ??= launch();
  return browserOfWorker;
}

async function launch(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error('There is no Chromium on PATH: apt-get install chromium');
  // Chromium has no sandbox when run as root; it opens only the service.
  return await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] });
}
