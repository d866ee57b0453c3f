/** What `of` makes of a name, kept, since names repeat from event to event. When there are `max` of them, all are forgotten. */
export function remembered<Value extends {}>(of: (name: string) => Value, max = 5_000): (name: string) => Value {
  const known = new Map<string, Value>();
  return (name) => {
    let value = known.get(name);
    if (value === undefined) {
      value = of(name);
      if (known.size === max) known.clear();
      known.set(name, value);
    }
    return value;
  };
}
