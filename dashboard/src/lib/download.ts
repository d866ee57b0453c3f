/** Downloads a file. */
export function download(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export const downloadCsv = (name: string, csv: string): void =>
  download(name, new Blob(['\uFEFF', csv], { type: 'text/csv;charset=utf-8' }));
