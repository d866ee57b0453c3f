import type { DigestDocument, DigestLine, DigestSection } from './document.ts';

/**
 * A digest as a page of HTML that mail clients show: tables, inline colours for those that drop the style sheet, no
 * scripts and nothing to load.
 */
export function toHtml(
  { title, sections, path }: DigestDocument,
  linkOf: (path: string) => string | undefined,
): string {
  const link = linkOf(path);
  const button =
    link === undefined
      ? ''
      : `<p style="margin:28px 0 0"><a class="button" href="${toEntities(link)}" style="${styles.button}">Show the page</a></p>`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">
<title>${toEntities(title)}</title><style>${sheet}</style></head>
<body class="page" style="${styles.page}">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" style="${styles.card}"><tr><td style="padding:28px">
<h1 class="ink" style="${styles.title}">${toEntities(title)}</h1>
${sections.map((section) => toSection(section, linkOf)).join('\n')}
${button}
</td></tr></table></td></tr></table></body></html>
`;
}

const toSection = ({ heading, lines }: DigestSection, linkOf: (path: string) => string | undefined): string =>
  `<h2 class="soft" style="${styles.heading}">${toEntities(heading)}</h2>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0">${lines.map((line) => toLine(line, linkOf)).join('')}</table>`;

function toLine({ label, text, mood, path }: DigestLine, linkOf: (path: string) => string | undefined): string {
  const link = path === undefined ? undefined : linkOf(path);
  const shown =
    link === undefined
      ? toEntities(label)
      : `<a class="ink" href="${toEntities(link)}" style="${styles.link}">${toEntities(label)}</a>`;
  const colour = mood === undefined ? 'ink' : mood;
  const value =
    text === ''
      ? ''
      : `<div class="${colour}" style="${styles.text};color:${colours[colour]}">${toEntities(text)}</div>`;
  return `<tr><td class="line" style="${styles.line}"><div class="ink" style="${styles.label}">${shown}</div>${value}</td></tr>`;
}

const colours = { ink: '#16181d', good: '#1a7f4b', bad: '#b3261e' };
const font = "-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const styles = {
  page: `margin:0;background:#f4f5f7;font-family:${font}`,
  card: 'max-width:600px;background:#ffffff;border-radius:12px',
  title: 'margin:0;overflow-wrap:anywhere;font-size:20px;line-height:28px;font-weight:600;color:#16181d',
  heading: 'margin:28px 0 4px;font-size:13px;line-height:20px;font-weight:600;color:#5c6370',
  line: 'padding:8px 0;border-bottom:1px solid #e6e8ec',
  label: 'font-size:15px;line-height:22px;color:#16181d;overflow-wrap:anywhere',
  text: 'font-size:15px;line-height:22px;overflow-wrap:anywhere',
  link: 'color:#16181d;text-decoration:underline;text-decoration-color:#b9bec8',
  button:
    'display:inline-block;padding:10px 16px;border-radius:8px;background:#16181d;color:#ffffff;font-size:15px;text-decoration:none',
};
const sheet = `@media (prefers-color-scheme:dark){
.page{background:#0e1014!important}.card{background:#181b21!important}.ink{color:#eceef2!important}
.soft{color:#9aa1ae!important}.line{border-color:#2a2e37!important}
.good{color:#5fd09a!important}.bad{color:#ff8a80!important}
.button{background:#eceef2!important;color:#16181d!important}}`;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const toEntities = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
