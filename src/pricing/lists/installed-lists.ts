import { readFileSync } from 'node:fs';
import { parseJson } from '../../lib/json.ts';
import { type FurtherEntry, type FurtherList, type FurtherListName, furtherListNames } from '../further-list.ts';
import { priceFile } from '../price-file.ts';
import { litellmData, readLitellm } from './litellm.ts';
import { openLlmZoo, readLlmZoo } from './llm-zoo.ts';
import { modelsDevData, readModelsDev } from './models-dev.ts';
import { piCatalogData, readPiCatalog } from './pi-catalog.ts';

/** The day on which the installed release of the package `llm-zoo` was published. */
const llmZooDate = '2026-09-23';

/** The lists that are read from the file of their project. */
export const filedListNames = ['litellm', 'models.dev', 'pi-catalog'] as const satisfies readonly FurtherListName[];
export type FiledListName = (typeof filedListNames)[number];

const readers: Readonly<Record<FiledListName, (json: unknown) => FurtherEntry[]>> = {
  litellm: (json) => readLitellm(litellmData.parse(json)),
  'models.dev': (json) => readModelsDev(modelsDevData.parse(json)),
  'pi-catalog': (json) => readPiCatalog(piCatalogData.parse(json)),
};

/** The prices of a list, from the text of the file that its project publishes. Throws when it has another form. */
export function readListText(
  list: FiledListName,
  text: string,
  edition: { readonly version: string; readonly date: string },
): FurtherList {
  const entries = readers[list](parseJson(text));
  if (entries.length === 0) throw new Error('it has no prices');
  return { list, ...edition, entries };
}

let installed: Promise<readonly FurtherList[]> | undefined;

/** The further lists that came with this version of Farthing, in their order. A list may have several editions. */
export function installedLists(): Promise<readonly FurtherList[]> {
  installed ??= readInstalled();
  return installed;
}

async function readInstalled(): Promise<readonly FurtherList[]> {
  const zoo = await openLlmZoo();
  return furtherListNames.flatMap((list): readonly FurtherList[] =>
    list === 'llm-zoo'
      ? [{ list, version: zoo.version, date: llmZooDate, entries: readLlmZoo(zoo) }]
      : (parseJson(readFileSync(priceFile(list), 'utf8')) as FurtherList[]),
  );
}
