import { Button } from '@mantine/core';
import { CommandLine, Notice } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import { texts } from './texts.ts';

const text = texts.unavailable;

/** Says what the installation needs for HA pairs. */
export function Unavailable({ onRetry }: { onRetry: () => void }) {
  return (
    <Notice tone="quiet" title={text.title}>
      <div className={layout.stack}>
        <div>{text.text}</div>
        <div>{text.howTo}</div>
        <CommandLine text={text.command} what={text.commandName} />
        <div>{text.services}</div>
        <div>
          <Button variant="default" onClick={onRetry}>
            {text.again}
          </Button>
        </div>
      </div>
    </Notice>
  );
}
