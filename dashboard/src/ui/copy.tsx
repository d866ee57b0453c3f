import { useState } from 'react';
import { Button } from './basics.tsx';
import { Icon } from './icons.tsx';

/** Copies a text. Without TLS browsers hide the clipboard API, but selected text can still be copied. */
async function copy(text: string): Promise<void> {
  if (window.isSecureContext) return await navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  (document.querySelector('dialog[open]') ?? document.body).append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}

export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const [isCopied, setCopied] = useState(false);
  return (
    <Button
      onClick={() => {
        void copy(text).then(() => {
          setCopied(true);
          setTimeout(() => setCopied(false), 2_000);
        });
      }}
    >
      <Icon name={isCopied ? 'check' : 'copy'} />
      <span aria-live="polite">{isCopied ? 'Copied' : label}</span>
    </Button>
  );
}

/** Text with a copy button. */
export const Snippet = ({ text, label }: { readonly text: string; readonly label?: string }) => (
  <figure className="min-w-0">
    <figcaption className="mb-1.5 flex items-center justify-between gap-2 text-xs font-medium text-mute">
      <span>{label}</span>
      <CopyButton text={text} />
    </figcaption>
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard
      tabIndex={0}
      className="overflow-x-auto rounded-lg border border-line bg-raised p-3 font-mono text-xs leading-5"
    >
      {text}
    </pre>
  </figure>
);

/** A secret that can't be shown again. */
export const SecretText = ({ secret }: { readonly secret: string }) => (
  <>
    <p>Copy it now: it is shown only once.</p>
    <div className="flex items-center gap-2">
      <code data-secret className="min-w-0 flex-1 rounded-lg bg-raised p-2.5 text-xs break-all">
        {secret}
      </code>
      <CopyButton text={secret} />
    </div>
  </>
);
