const units = [
  { name: 'day', ms: 86_400_000 },
  { name: 'hour', ms: 3_600_000 },
  { name: 'minute', ms: 60_000 },
] as const;

/** A duration in its largest whole unit, such as `3 hours`. */
export function toAge(ms: number): string {
  const unit = units.find((one) => ms >= one.ms);
  if (!unit) return 'less than a minute';
  const count = Math.floor(ms / unit.ms);
  return `${count} ${unit.name}${count === 1 ? '' : 's'}`;
}
