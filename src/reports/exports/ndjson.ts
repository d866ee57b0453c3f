/** Rows as lines of JSON. */
export async function* toNdjson(
  slices: AsyncIterable<readonly unknown[]>,
  { lineOf }: { readonly lineOf: (row: unknown) => string },
): AsyncGenerator<string> {
  for await (const rows of slices) yield rows.map((row) => `${lineOf(row)}\n`).join('');
}
