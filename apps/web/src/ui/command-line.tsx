import classes from './command-line.module.css';
import { Copy } from './copy.tsx';

/** Shows a command to run elsewhere, with a copy button. */
export function CommandLine({ text, what = 'command' }: { text: string; what?: string }) {
  return (
    <div className={classes.box}>
      <pre className={classes.text}>{text}</pre>
      <Copy text={text} what={what} />
    </div>
  );
}
