import { Autocomplete } from '@mantine/core';
import { texts } from '../../../texts/index.ts';
import { useProxyVersions } from '../use-proxy-versions.ts';

const text = texts.services.operations.versionField;

interface VersionFieldProps {
  readonly value: string;
  readonly onChange: (version: string) => void;
  readonly current: string | undefined;
}

/** Accepts any exact release: a client fetches missing ones. */
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
