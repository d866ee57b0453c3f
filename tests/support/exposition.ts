// A strict reader of the text formats of Prometheus and OpenMetrics: any line that their grammar does not have is a fault.

export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

export interface Family {
  name: string;
  type: string;
  help: string;
  samples: Sample[];
}

/** A character of a label's value, escapes included: no bare quote, backslash or line break. */
const label = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"/;
const sample = new RegExp(
  `^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(${label.source}(?:,${label.source})*)\\})? (-?[0-9.]+(?:e[+-]?[0-9]+)?)$`,
);

const escapes: Readonly<Record<string, string>> = { '\\\\': '\\', '\\"': '"', '\\n': '\n' };
const readValue = (text: string): string => text.replaceAll(/\\[\\"n]/g, (found) => escapes[found] ?? found);

/** The metrics of an answer by name. Throws at the first line that is not of the format. */
export function readExposition(text: string, { isOpenMetrics }: { isOpenMetrics: boolean }): Map<string, Family> {
  const end = isOpenMetrics ? '# EOF\n' : '';
  if (!text.endsWith(`\n${end}`)) throw new Error(`the end is ${JSON.stringify(text.slice(-40))}`);
  const families = new Map<string, Family>();
  const lines = text
    .slice(0, text.length - end.length)
    .split('\n')
    .slice(0, -1);
  let family: Family | undefined;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    // Only the older format has empty lines.
    if (line === '' && !isOpenMetrics) continue;
    if (line.startsWith('# HELP ')) {
      const [, name = '', help = ''] = /^# HELP (\S+) (.+)$/.exec(line) ?? [];
      const [, typed, type = ''] = /^# TYPE (\S+) (gauge|counter|histogram|summary)$/.exec(lines[at + 1] ?? '') ?? [];
      if (name === '' || typed !== name || families.has(name)) throw new Error(`not the head of a metric: ${line}`);
      family = { name, type, help, samples: [] };
      families.set(name, family);
      at += 1;
      continue;
    }
    family?.samples.push(readSample(line, family));
    if (!family) throw new Error(`a sample before its head: ${line}`);
  }
  return families;
}

function readSample(line: string, family: Family): Sample {
  const [whole, name, labelText = '', ...parts] = sample.exec(line) ?? [];
  if (whole === undefined || name !== family.name) throw new Error(`not a sample of ${family.name}: ${line}`);
  const labels: Record<string, string> = {};
  for (const [, key = '', value = ''] of labelText.matchAll(new RegExp(label, 'g'))) {
    if (key in labels) throw new Error(`a label twice: ${line}`);
    labels[key] = readValue(value);
  }
  const key = JSON.stringify(Object.entries(labels).toSorted());
  if (family.samples.some((other) => JSON.stringify(Object.entries(other.labels).toSorted()) === key)) {
    throw new Error(`a series twice: ${line}`);
  }
  return { name, labels, value: Number(parts.at(-1)) };
}

/** The samples of a metric; throws when the answer does not have it. */
export function samplesOf(families: ReadonlyMap<string, Family>, name: string): Sample[] {
  const family = families.get(name);
  if (!family) throw new Error(`there is no ${name}`);
  return family.samples;
}
