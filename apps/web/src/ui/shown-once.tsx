import { texts } from '../texts/index.ts';
import { CommandLine } from './command-line.tsx';
import { Notice } from './notice.tsx';

const text = texts.ui.shownOnce;

interface ShownOnceProps {
  readonly secret: string;
  /** For the copy button: `password`, `token`. */
  readonly what: string;
  /** Explains that it cannot be shown again. */
  readonly children: React.ReactNode;
}

/** A secret that the controller returned once. Only the page holds it. */
export function ShownOnce({ secret, what, children }: ShownOnceProps) {
  return (
    <>
      <CommandLine text={secret} what={what} />
      <Notice tone="warn" title={text.title}>
        {children}
      </Notice>
    </>
  );
}
