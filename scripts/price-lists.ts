// Writes the price lists that are in the tree, from the files that their projects publish:
//   node bin/runtime.js scripts/price-lists.ts <list> (<version> <YYYY-MM-DD> <file>)…
// Several files of one list are editions of it, the newest first; each has its version and day before it.
import { readFileSync, writeFileSync } from 'node:fs';
import { parseJson } from '../src/lib/json.ts';
import { installedData } from '../src/pricing/catalogue-data.ts';
import { filedListNames, readListText } from '../src/pricing/lists/installed-lists.ts';
import { priceFile } from '../src/pricing/price-file.ts';

const [list, ...editions] = process.argv.slice(2);
const known = ['genai-prices', ...filedListNames];
if (list === undefined || !known.includes(list) || editions.length === 0 || editions.length % 3 !== 0) {
  throw new Error(`usage: price-lists.ts <${known.join('|')}> (<version> <YYYY-MM-DD> <file>)…`);
}
const files = Array.from({ length: editions.length / 3 }, (_, index) => {
  const [version = '', date = '', file = ''] = editions.slice(3 * index, 3 * index + 3);
  return { version, date, text: readFileSync(file, 'utf8') };
});
const name = filedListNames.find((filed) => filed === list);
if (name === undefined) writeCatalogue();
else writeLists(name);

/** One model a line, so that a change of the data is a change of few lines. */
function linesOf(items: readonly unknown[]): string {
  return items.map((item) => JSON.stringify(item)).join(',\n');
}

function writeCatalogue(): void {
  const [{ version, date, text } = { version: '', date: '', text: '' }] = files;
  const { providers, ...head } = installedData.parse({ version, date, providers: parseJson(text) });
  const written = providers.map(
    ({ models, ...provider }) => `${JSON.stringify(provider).slice(0, -1)},"models":[\n${linesOf(models)}\n]}`,
  );
  writeFileSync(
    priceFile(list ?? ''),
    `${JSON.stringify(head).slice(0, -1)},"providers":[\n${written.join(',\n')}\n]}\n`,
  );
}

function writeLists(filed: (typeof filedListNames)[number]): void {
  const written = files.map(({ text, ...edition }) => {
    const { entries, ...head } = readListText(filed, text, edition);
    return `${JSON.stringify(head).slice(0, -1)},"entries":[\n${linesOf(entries)}\n]}`;
  });
  writeFileSync(priceFile(filed), `[${written.join(',\n')}]\n`);
}
