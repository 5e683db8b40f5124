import { Button, FileButton } from '@mantine/core';
import { Notice, Problem } from '../notice.tsx';
import { ProgressBar } from '../progress-bar.tsx';
import { texts } from './texts.ts';
import classes from './upload.module.css';
import { FileTooLarge, type SendFile, useUpload } from './use-upload.ts';

const text = texts;

interface UploadButtonProps {
  readonly label: string;
  /** Label for pages with several buttons: `Replace the city database`. */
  readonly ariaLabel?: string;
  /** Title of the error: `The database was not replaced`. */
  readonly failed: string;
  readonly send: SendFile;
  readonly maxBytes?: number | undefined;
  /** Filter of the file dialog: `.mmdb`. */
  readonly accept?: string;
  readonly isDisabled?: boolean;
  readonly isDefault?: boolean;
}

/** Selects a file and uploads it, with progress, cancel and errors. */
export function UploadButton(props: UploadButtonProps) {
  const { label, ariaLabel, failed, send, maxBytes, accept, isDisabled, isDefault } = props;
  const { percent, error, begin, stop } = useUpload(send, { maxBytes });
  return (
    <div className={classes.upload}>
      {percent === undefined ? (
        <FileButton
          {...(accept !== undefined && { accept })}
          onChange={(file) => {
            if (file) begin(file);
          }}
        >
          {({ onClick }) => (
            <Button
              onClick={onClick}
              disabled={isDisabled === true}
              {...(isDefault && { variant: 'default' })}
              {...(ariaLabel !== undefined && { 'aria-label': ariaLabel })}
            >
              {label}
            </Button>
          )}
        </FileButton>
      ) : (
        <div className={classes.running}>
          <div className={classes.bar}>
            <ProgressBar label={text.progress} percent={percent} />
          </div>
          <span role="status" className={classes.words}>
            {percent < 100 ? text.sending : text.checking}
          </span>
          <Button variant="default" size="compact-xs" onClick={stop}>
            {text.stop}
          </Button>
        </div>
      )}
      {error !== undefined && <NotTaken error={error} failed={failed} />}
    </div>
  );
}

function NotTaken({ error, failed }: { error: unknown; failed: string }) {
  if (error instanceof FileTooLarge)
    return (
      <Notice tone="bad" title={failed}>
        {text.tooLarge(error.size, error.max)}
      </Notice>
    );
  return <Problem error={error} what={failed} />;
}
