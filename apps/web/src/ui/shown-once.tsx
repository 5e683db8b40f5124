import { texts } from '../texts/index.ts';
import { CommandLine } from './command-line.tsx';
import { Notice } from './notice.tsx';

const text = texts.ui.shownOnce;

interface ShownOnceProps {
  readonly secret: string;
  /** For the button: `password`, `token`. */
  readonly what: string;
  /** What it means to have lost it. */
  readonly children: React.ReactNode;
}

/** A secret that the controller told this once. It is in the page and nowhere else. */
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
