import { open } from 'node:fs/promises';

/** `e_machine` of ELF by the processor's name in Node. */
const MACHINES: Readonly<Record<string, number>> = { x64: 62, arm64: 183 };
const NAMES: Readonly<Record<number, string>> = { 3: 'x86', 40: 'arm', 62: 'x64', 183: 'arm64', 243: 'riscv64' };

export interface HeaderProblem {
  readonly kind: 'wrong_architecture' | 'not_usable';
  readonly problem: string;
}

/** Checks, before anything of it runs, that a file is a program for the machine (`linux-x64`). */
export async function findProgramProblem(path: string, machine: string): Promise<HeaderProblem | undefined> {
  const [system = '', processor = ''] = machine.split('-');
  if (system !== 'linux') return undefined;
  const header = await readHeader(path, 20);
  // ELF: magic number, 64 bits, little-endian
  if (header.length < 20 || header.toString('latin1', 0, 4) !== '\x7fELF')
    return { kind: 'not_usable', problem: 'is not a program' };
  const found = header.readUInt16LE(18);
  const wanted = MACHINES[processor];
  if (header[4] === 2 && header[5] === 1 && (wanted === undefined || found === wanted)) return undefined;
  const name = NAMES[found] ?? `machine ${found}`;
  return { kind: 'wrong_architecture', problem: `is a program for ${name}, not for ${processor}` };
}

/** Checks that a file is a WebAssembly module of version 1. */
export async function findModuleProblem(path: string): Promise<HeaderProblem | undefined> {
  const header = await readHeader(path, 8);
  if (header.equals(Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]))) return undefined;
  return { kind: 'not_usable', problem: 'is not a WebAssembly module' };
}

async function readHeader(path: string, length: number): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
