import { Popover, ScrollArea, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { Copy } from '../../ui/index.ts';
import classes from './clients.module.css';
import type { ClientRow } from './model.ts';
import { texts } from './texts.tsx';

const text = texts.serviceIps;

/** Shows the number of addresses of a client's services, and the addresses on hover or press. */
export function ServiceIps({ row }: { row: ClientRow }) {
  // A table has thousands of rows. Only the row under the pointer gets a popover.
  const [armedBy, setArmedBy] = useState<'pointer' | 'press'>();
  const [isOpen, setOpen] = useState(false);
  const ips = row.service_ips ?? [];
  if (row.service_ip_count === 0) return <span>0</span>;
  const button = (
    <UnstyledButton
      className={classes.ips}
      aria-label={text.countOf(row.service_ip_count, row.name)}
      aria-expanded={isOpen}
      onPointerEnter={(event) => {
        setArmedBy((before) => before ?? 'pointer');
        if (event.pointerType === 'mouse') setOpen(true);
      }}
      onPointerLeave={() => setOpen(false)}
      onClick={() => {
        setArmedBy((before) => before ?? 'press');
        setOpen(true);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') setOpen(false);
      }}
      // The popover renders the button again. Keyboard focus stays on it.
      autoFocus={armedBy === 'press'}
    >
      {row.service_ip_count}
    </UnstyledButton>
  );
  if (!armedBy) return button;
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom" withArrow shadow="sm" returnFocus>
      <Popover.Target>{button}</Popover.Target>
      <Popover.Dropdown
        aria-label={text.title(row.name)}
        onPointerEnter={() => setOpen(true)}
        onPointerLeave={() => setOpen(false)}
        p="xs"
      >
        <ScrollArea.Autosize mah={220} type="auto">
          <div className={classes.ipList}>
            {ips.map((ip) => (
              <span key={ip} className="mono">
                {ip}
              </span>
            ))}
          </div>
        </ScrollArea.Autosize>
        <Copy text={ips.join('\n')} what={text.copied} />
      </Popover.Dropdown>
    </Popover>
  );
}
