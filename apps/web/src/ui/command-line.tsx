import classes from './command-line.module.css';
import { Copy } from './copy.tsx';

/** A command to run elsewhere, ready to copy. */
export function CommandLine({ text, what = 'command' }: { text: string; what?: string }) {
  return (
    <div className={classes.box}>
      <pre className={classes.text}>{text}</pre>
      <Copy text={text} what={what} />
    </div>
  );
}
