/** Makes a thing when it is first asked for. The tests of a table share it, in whatever order they run. */
export function once<Thing>(make: () => Promise<Thing>): () => Promise<Thing> {
  let made: Promise<Thing> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
