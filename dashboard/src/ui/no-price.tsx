/** In place of an amount that no price is known for: it would be $0, as if the calls were free. */
export const NoPrice = () => (
  <span className="text-mute" title="No price: these calls count as $0">
    –
  </span>
);
