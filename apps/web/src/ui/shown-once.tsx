import { CommandLine } from './command-line.tsx';
import { Notice } from './notice.tsx';
import { texts } from './texts.tsx';

const text = texts.shownOnce;

interface ShownOnceProps {
  readonly secret: string;
  /** Noun on the copy button: `password`, `token`. */
  readonly what: string;
  /** Explains that it cannot be shown again. */
  readonly children: React.ReactNode;
}

/** Shows a secret that the controller returned once. Only the page holds it. */
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
