const paths = {
  overview: 'M3 3v18h18M8 17v-5M13 17V7M18 17v-8',
  customers:
    'M16 20v-1a4 4 0 0 0-4-4H7a4 4 0 0 0-4 4v1M9.500 11a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7M21 20v-1a4 4 0 0 0-3-3.870M15.500 4.130a3.500 3.500 0 0 1 0 6.740',
  features: 'M12 3 3 8l9 5 9-5-9-5M3 12.500l9 5 9-5M3 17l9 5 9-5',
  models: 'M7 7h10v10H7zM10 3v4M14 3v4M10 17v4M14 17v4M3 10h4M3 14h4M17 10h4M17 14h4',
  calls: 'M22 12h-4l-3 8L9 4l-3 8H2',
  live: 'M12 13a1 1 0 1 0 0-2 1 1 0 0 0 0 2M7.800 16.200a6 6 0 0 1 0-8.400M16.200 7.800a6 6 0 0 1 0 8.400M4.900 19.100a10 10 0 0 1 0-14.200M19.100 4.900a10 10 0 0 1 0 14.200',
  prices: 'M20.600 13.400 13.400 20.600a2 2 0 0 1-2.800 0L3 13V3h10l7.600 7.600a2 2 0 0 1 0 2.800M7.500 7.500h.01',
  credits: 'M12 8v13M3 8h18v4H3zM5 12v9h14v-9M12 8H8a2.500 2.500 0 1 1 4-2.500V8m0 0h4A2.500 2.500 0 1 0 12 5.500',
  waste: 'M3 6h18M8 6V4a1 1 0 0 1 1-1h6a1 1 0 0 1 1 1v2M5 6l1 15h12l1-15M10 11v6M14 11v6',
  whatIf: 'M6 3v12M18 9a3 3 0 1 0 0-6 3 3 0 0 0 0 6M6 21a3 3 0 1 0 0-6 3 3 0 0 0 0 6M18 9a9 9 0 0 1-9 9',
  budgets: 'M12 21a9 9 0 1 1 9-9M12 12l5-5M12 16a4 4 0 0 0 4-4',
  alerts: 'M6 9a6 6 0 0 1 12 0c0 7 3 8 3 8H3s3-1 3-8M10.300 21a2 2 0 0 0 3.400 0',
  reconciliation: 'M12 4v16M8 20h8M5 7h14M5 7l-3 7a3 3 0 0 0 6 0zM19 7l-3 7a3 3 0 0 0 6 0z',
  closes: 'M5 11h14v10H5zM8 11V7a4 4 0 0 1 8 0v4',
  connect: 'M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0zM12 17v4',
  settings: 'M4 21v-7M4 10V3M12 21v-9M12 8V3M20 21v-5M20 12V3M1 14h6M9 8h6M17 16h6',
  wallet: 'M20 7H5a2 2 0 0 1 0-4h13v4M3 5v14a2 2 0 0 0 2 2h15V7M16.500 14h.01',
  trend: 'M22 7 13.500 15.500l-5-5L2 17M16 7h6v6',
  percent:
    'M19 5 5 19M6.500 9a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5M17.500 20a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5',
  alert:
    'M12 9v4M12 17h.01M10.300 3.900 1.800 18a2 2 0 0 0 1.700 3h17a2 2 0 0 0 1.700-3L13.700 3.900a2 2 0 0 0-3.400 0',
  calendar: 'M8 2v4M16 2v4M3 10h18M5 4h14a2 2 0 0 1 2 2v13a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2',
  filter: 'M3 5h18M6 12h12M10 19h4',
  close: 'M18 6 6 18M6 6l12 12',
  check: 'M20 6 9 17l-5-5',
  copy: 'M9 9h12v12H9zM5 15H3V3h12v2',
  download: 'M12 3v12M7 10l5 5 5-5M4 21h16',
  table: 'M3 4h18v16H3zM3 10h18M3 15h18M9 4v16',
  menu: 'M3 6h18M3 12h18M3 18h18',
  chevron: 'M6 9l6 6 6-6',
  search: 'M11 19a8 8 0 1 0 0-16 8 8 0 0 0 0 16M21 21l-4.300-4.300',
  out: 'M9 21H5a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2h4M16 17l5-5-5-5M21 12H9',
  pause: 'M7 4v16M17 4v16',
  play: 'M6 4l14 8-14 8z',
} as const;
export type IconName = keyof typeof paths;

/** A decorative icon beside a word; hidden from screen readers. */
export const Icon = ({ name, className = 'size-4' }: { readonly name: IconName; readonly className?: string }) => (
  <svg
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.8"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
    className={`shrink-0 ${className}`}
  >
    <path d={paths[name]} />
  </svg>
);
