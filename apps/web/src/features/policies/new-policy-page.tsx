export function NewPolicyPage() {
  return null;
}
