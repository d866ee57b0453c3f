import { beforeName, type ChartData } from './series.ts';

interface Picture {
  readonly title: string;
  /** The project, the filters and the days, below the title. */
  readonly about: string;
  readonly data: ChartData;
  /** Reads a colour of the page. */
  readonly read: (name: string) => string;
}

/** Pixels of the picture for one of the page. */
const scale = 2;
const [margin, titlePx, textPx, mark] = [16, 16, 12, 10];

/** A text without the middle that a line has no room for, so that its end, the days, stays. */
function fit(context: CanvasRenderingContext2D, text: string, room: number): string {
  if (context.measureText(text).width <= room) return text;
  const all = Array.from(text);
  let [least, most] = [0, all.length];
  const cut = (kept: number) =>
    `${all.slice(0, Math.ceil(kept / 2)).join('')}…${all.slice(all.length - Math.floor(kept / 2)).join('')}`;
  while (most - least > 1) {
    const kept = Math.floor((least + most) / 2);
    if (context.measureText(cut(kept)).width <= room) least = kept;
    else most = kept;
  }
  return cut(least);
}

/** The chart as it is drawn, below its title, its days and the names of its colours, as a PNG. */
export function drawPicture(chart: HTMLCanvasElement, { title, about, data, read }: Picture): Blob {
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d');
  if (!context) throw new Error('This browser draws no pictures.');
  const width = chart.width / scale + 2 * margin;
  const font = (px: number, weight = 400) => `${weight} ${px}px "Inter Variable", sans-serif`;
  context.font = font(textPx);
  const named = [...data.series, ...(data.before ? [{ name: beforeName, color: '--ink' }] : [])];
  const names = named.map(({ name: whole, color }) => {
    const name = fit(context, whole, width - 2 * margin - mark - 6);
    return {
      name,
      color: read(color),
      // Those before are marks, not bars.
      height: whole === beforeName && color === '--ink' ? 2 : mark,
      width: context.measureText(name).width,
    };
  });
  let [x, y] = [margin, margin + titlePx + 2 * textPx + margin];
  const legend = names.map((entry) => {
    const needed = mark + 6 + entry.width + margin;
    if (x > margin && x + needed > width) [x, y] = [margin, y + 1.6 * textPx];
    const place = { ...entry, x, y };
    x += needed;
    return place;
  });
  const top = y + margin;
  canvas.width = width * scale;
  canvas.height = (top + chart.height / scale + margin) * scale;
  // A canvas forgets its font with its size.
  context.scale(scale, scale);
  context.textBaseline = 'middle';
  context.fillStyle = read('--card');
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = read('--ink');
  context.font = font(titlePx, 600);
  context.fillText(fit(context, title, width - 2 * margin), margin, margin + titlePx / 2);
  context.font = font(textPx);
  context.fillStyle = read('--mute');
  context.fillText(fit(context, about, width - 2 * margin), margin, margin + titlePx + textPx);
  for (const entry of legend) {
    context.fillStyle = entry.color;
    context.fillRect(entry.x, entry.y - entry.height / 2, mark, entry.height);
    context.fillStyle = read('--mute');
    context.fillText(entry.name, entry.x + mark + 6, entry.y);
  }
  context.drawImage(chart, margin, top, chart.width / scale, chart.height / scale);
  // `toBlob` waits until the browser is idle, for seconds on a busy machine.
  const bytes = atob(canvas.toDataURL('image/png').split(',')[1] ?? '');
  return new Blob([Uint8Array.from(bytes, (byte) => byte.charCodeAt(0))], { type: 'image/png' });
}
