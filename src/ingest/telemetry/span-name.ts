import { isWord } from '../../lib/plain-texts.ts';
import type { Attributes } from './otlp/attributes.ts';
import { isKeptName } from './plain-attributes.ts';
import { operations, plainSpanNames } from './tables.ts';

/** A shorter word is part of too many values. */
const minSharedLength = 3;
const maxLength = 256;

/**
 * The name of a span if it is free of content (D14.5): one word, a table's, an operation with its object (`chat
 * gpt-4o`), or words of tables and attributes. Undefined for any other, which may be a prompt.
 */
export function plainSpanName(name: unknown, attributes: Attributes): string | undefined {
  if (typeof name !== 'string' || name === '') return undefined;
  if (isWord(name) || plainSpanNames.has(name)) return name;
  if (name.length > maxLength) return undefined;
  const [first = '', ...others] = name.split(' ');
  // Most names: what follows looks at every attribute.
  if (isOperation(first) && others.length === 1 && isWord(others[0] ?? '')) return name;
  const isKnown = (text: string) => plainSpanNames.has(text) || isInAttributes(text, attributes);
  if (isKnown(name)) return name;
  if (others.length === 0) return undefined;
  if (!isKnown(first) && !isOperation(first)) return undefined;
  return isKnown(others.join(' ')) || others.every(isKnown) ? name : undefined;
}

/** `chat`, `ai.generateText.doGenerate`: the first word of a name is often an operation. */
const isOperation = (text: string): boolean => operations.has(text) || (isWord(text) && text.includes('.'));

/** Whether a kept value of an attribute begins with this text. The answer's model often has a date that the name lacks. */
function isInAttributes(text: string, attributes: Attributes): boolean {
  if (text.length < minSharedLength) return false;
  for (const [name, value] of attributes) {
    if (typeof value === 'string' && value.startsWith(text) && isKeptName(name, value)) return true;
  }
  return false;
}
