import { Autocomplete } from '@mantine/core';
import { useProxyVersions } from '../use-proxy-versions.ts';
import { texts } from './texts.tsx';

const text = texts.versionField;

interface VersionFieldProps {
  readonly value: string;
  readonly onChange: (version: string) => void;
  readonly current: string | undefined;
}

/** Selects any exact release: a client downloads missing ones. */
export function VersionField({ value, onChange, current }: VersionFieldProps) {
  const versions = useProxyVersions();
  const isWrong = !/^[\d.]*$/.test(value);
  return (
    <Autocomplete
      label={text.label}
      description={current ? text.hint(current) : undefined}
      data={[...versions]}
      value={value}
      onChange={onChange}
      error={isWrong ? text.exactRelease : undefined}
      data-autofocus
    />
  );
}
