// As much of Helm's templates as the chart uses: values, `if`, `toYaml`, `nindent`, `quote` and `default`. Anything else is an error.
import { stringify } from 'yaml';

type Values = Record<string, unknown>;
type Node = { readonly text: string } | { readonly condition: string; readonly body: readonly Node[] };

/** Renders a template with `Values`, `Release` and `Chart` in scope. */
export function renderTemplate(template: string, scope: Values): string {
  const [body, rest] = parse(trim(template).split(/(\{\{.*?\}\})/s), 0, false);
  if (rest !== undefined) throw new Error('there is an end too many');
  return render(body, scope);
}

/** `{{-` takes the white space before it, `-}}` that after it. */
const trim = (template: string): string => template.replaceAll(/\s*\{\{-/g, '{{').replaceAll(/-\}\}\s*/g, '}}');

function parse(parts: readonly string[], from: number, isInside: boolean): [Node[], number | undefined] {
  const nodes: Node[] = [];
  for (let at = from; at < parts.length; at += 1) {
    const part = parts[at] ?? '';
    const action = /^\{\{(.*)\}\}$/s.exec(part)?.[1]?.trim();
    const condition = /^if (.+)$/.exec(action ?? '')?.[1];
    if (condition !== undefined) {
      const [body, end] = parse(parts, at + 1, true);
      if (end === undefined) throw new Error(`there is no end of: if ${condition}`);
      nodes.push({ condition, body });
      at = end;
    } else if (action === 'end') {
      if (!isInside) throw new Error('there is an end too many');
      return [nodes, at];
    } else nodes.push({ text: part });
  }
  return [nodes, undefined];
}

function render(nodes: readonly Node[], scope: Values): string {
  return nodes
    .map((node) => {
      if ('condition' in node) return isTrue(evaluate(node.condition, scope)) ? render(node.body, scope) : '';
      return node.text.replace(/^\{\{(.*)\}\}$/s, (_match, action: string) => String(evaluate(action.trim(), scope)));
    })
    .join('');
}

function evaluate(action: string, scope: Values): unknown {
  const [first = '', ...filters] = action.split('|').map((part) => part.trim());
  const toYaml = /^toYaml (\S+)$/.exec(first)?.[1];
  const start = toYaml === undefined ? lookUp(first, scope) : stringify(lookUp(toYaml, scope)).trimEnd();
  return filters.reduce((value: unknown, filter) => {
    const [name, argument = ''] = filter.split(/\s+/);
    if (name === 'quote') return JSON.stringify(String(value));
    if (name === 'nindent') return `\n${String(value).replaceAll(/^/gm, ' '.repeat(Number(argument)))}`;
    if (name === 'default') return isTrue(value) ? value : lookUp(argument, scope);
    throw new Error(`not known: ${filter}`);
  }, start);
}

function lookUp(path: string, scope: Values): unknown {
  if (!/^(\.\w+)+$/.test(path)) throw new Error(`not known: ${path}`);
  return path
    .slice(1)
    .split('.')
    .reduce((value: unknown, name) => {
      if (typeof value !== 'object' || value === null || !(name in value)) throw new Error(`there is no value ${path}`);
      return (value as Values)[name];
    }, scope);
}

const isTrue = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.length > 0
    : typeof value === 'object' && value !== null
      ? Object.keys(value).length > 0
      : Boolean(value);
