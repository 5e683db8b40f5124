import { useEffect, useRef, useState } from 'react';
import { formatBytes } from '../bytes.ts';

export interface UploadOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (share: number) => void;
}

/** Sends the file. Rejects with the reason of a refusal. */
export type SendFile = (file: File, options: UploadOptions) => Promise<unknown>;

export interface Upload {
  /** Progress of the upload, from 0 to 100: at 100 the file is being checked. undefined: no upload. */
  readonly percent: number | undefined;
  /** Why the last upload failed. */
  readonly error: unknown;
  readonly begin: (file: File) => void;
  readonly stop: () => void;
}

/** Runs one upload at a time. Cancelled when the screen unmounts. */
export function useUpload(send: SendFile, limits: { readonly maxBytes?: number | undefined }): Upload {
  const [percent, setPercent] = useState<number>();
  const [error, setError] = useState<unknown>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const begin = async (file: File) => {
    const { maxBytes } = limits;
    if (maxBytes !== undefined && file.size > maxBytes) {
      setError(new FileTooLarge(file.size, maxBytes));
      return;
    }
    const controller = new AbortController();
    running.current = controller;
    setError(undefined);
    setPercent(0);
    try {
      const onProgress = (share: number) => setPercent(Math.floor(share * 100));
      await send(file, { signal: controller.signal, onProgress });
    } catch (failure) {
      if (!controller.signal.aborted) setError(failure);
    } finally {
      setPercent(undefined);
    }
  };
  return { percent, error, begin: (file) => void begin(file), stop: () => running.current?.abort() };
}

/** The file exceeds the size limit and was not sent. */
export class FileTooLarge extends Error {
  readonly size: string;
  readonly max: string;

  constructor(size: number, max: number) {
    super('The file is too large.');
    this.name = 'FileTooLarge';
    this.size = formatBytes(size);
    this.max = formatBytes(max);
  }
}
