/** What the sign-in stands for at this address: the secret of a one-time link, or a sign-in with the provider that is done. */
export type Arrival = { readonly link: string } | 'provider' | undefined;

// Kept here, because React may render a component anew before it shows it, when the address has nothing any more.
let arrival: Arrival;

/** Reads how a visitor arrives, and takes it out of the address: no secret stays in the browser's history. */
export function takeArrival(): Arrival {
  const { hash, pathname } = window.location;
  const found = hash.startsWith('#fi_') ? { link: hash.slice(1) } : hash === '#provider' ? 'provider' : undefined;
  if (found !== undefined) {
    arrival = found;
    window.history.replaceState(window.history.state, '', pathname);
  }
  return arrival;
}

/** Forgets a link that is used. */
export function endArrival(): void {
  arrival = undefined;
}
