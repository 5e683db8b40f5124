import { toProblems } from './load.ts';
import type { Complaint, LoadProblem } from './problem.ts';
import { type PolicyFile, readYamlSource } from './yaml-source.ts';

/** What somebody else than the policy's own checks finds wrong in a document, at its place in the file. */
export function placeComplaint(file: PolicyFile, complaint: Complaint): LoadProblem[] {
  const source = readYamlSource(file);
  return source.ok ? toProblems(source.value, [complaint]) : source.error;
}
