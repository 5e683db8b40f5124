import { ActionIcon, CopyButton, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { texts } from './texts.tsx';

const words = texts.copy;

/** Copies a text; `what` completes the accessible name: `Copy command`. */
export function Copy({ text, what }: { text: string; what: string }) {
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? words.copied : words.copy(what)}>
          <ActionIcon aria-label={copied ? words.copied : words.copy(what)} onClick={copy} size="sm">
            {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}
