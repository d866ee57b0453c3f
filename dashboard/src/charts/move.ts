/** The period that a key moves to, of `count` periods; undefined for other keys. */
export function moveByKey(key: string, at: number | undefined, count: number): number | undefined {
  const last = count - 1;
  switch (key) {
    case 'ArrowRight':
    case 'ArrowUp':
      return at === undefined ? 0 : Math.min(at + 1, last);
    case 'ArrowLeft':
    case 'ArrowDown':
      return at === undefined ? last : Math.max(at - 1, 0);
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return undefined;
  }
}
