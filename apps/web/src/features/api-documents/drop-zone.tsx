import { Button, FileButton } from '@mantine/core';
import { type DragEvent, useState } from 'react';
import { formatBytes } from '../../ui/index.ts';
import classes from './drop-zone.module.css';
import { texts } from './texts.ts';

const text = texts.import;

interface DropZoneProps {
  readonly file: File | undefined;
  readonly onChange: (file: File) => void;
}

/** Takes a file from a dialog, or one that is dropped. */
export function DropZone({ file, onChange }: DropZoneProps) {
  const [isOver, setOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const [first] = event.dataTransfer.files;
    if (first) onChange(first);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button does the same for the keyboard
    <div
      className={classes.zone}
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <FileButton onChange={(chosen) => chosen && onChange(chosen)} accept=".yaml,.yml,.json">
        {({ onClick }) => (
          <Button variant="default" onClick={onClick}>
            {text.choose}
          </Button>
        )}
      </FileButton>
      <span role="status">
        {file === undefined ? text.drop : <bdi>{text.chosen(file.name, formatBytes(file.size))}</bdi>}
      </span>
    </div>
  );
}
