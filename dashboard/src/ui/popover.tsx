import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { buttonLook } from './basics.tsx';

interface PopoverProps {
  readonly label: ReactNode;
  /** The accessible name of the button. */
  readonly name?: string;
  readonly className?: string;
  readonly children: (close: () => void) => ReactNode;
}

/** In pixels, with the margin of the page. */
const panelWidth = 320;

/** A button that opens a panel below it; Escape and a click elsewhere close it. */
export function Popover({ label, name, className = '', children }: PopoverProps) {
  const [isOpen, setOpen] = useState(false);
  const [side, setSide] = useState('left-0');
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const panelId = useId();
  useEffect(() => {
    if (!isOpen) return undefined;
    const onPointer = ({ target }: PointerEvent) => {
      if (target instanceof Node && !root.current?.contains(target)) setOpen(false);
    };
    const onKey = ({ key }: KeyboardEvent) => {
      if (key !== 'Escape') return;
      setOpen(false);
      button.current?.focus();
    };
    document.addEventListener('pointerdown', onPointer);
    document.addEventListener('keydown', onKey);
    return () => {
      document.removeEventListener('pointerdown', onPointer);
      document.removeEventListener('keydown', onKey);
    };
  }, [isOpen]);
  return (
    <div ref={root} className="relative">
      <button
        ref={button}
        type="button"
        aria-expanded={isOpen}
        aria-controls={panelId}
        {...(name !== undefined && { 'aria-label': name })}
        onClick={({ currentTarget }) => {
          const { left } = currentTarget.getBoundingClientRect();
          setSide(left + panelWidth < window.innerWidth ? 'left-0' : 'right-0');
          setOpen(!isOpen);
        }}
        className={className || buttonLook}
      >
        {label}
      </button>
      {isOpen && (
        <div
          id={panelId}
          className={`absolute top-full z-30 mt-1.5 w-72 max-w-[calc(100vw-2rem)] max-h-[80vh] overflow-y-auto rounded-xl border border-line bg-card p-3 shadow-xl max-sm:fixed max-sm:inset-x-4 max-sm:top-16 max-sm:w-auto ${side}`}
        >
          {children(() => {
            setOpen(false);
            button.current?.focus();
          })}
        </div>
      )}
    </div>
  );
}
