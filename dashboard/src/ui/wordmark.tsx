export const Wordmark = () => (
  <span className="inline-flex items-center gap-2 text-[15px] font-semibold">
    <svg viewBox="0 0 32 32" className="size-6" aria-hidden="true">
      <rect width="32" height="32" rx="8" className="fill-accent" />
      <path
        d="M11 24V8.500h11M11 16.500h8.500"
        fill="none"
        className="stroke-onaccent"
        strokeWidth="3.4"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
    Farthing
  </span>
);
