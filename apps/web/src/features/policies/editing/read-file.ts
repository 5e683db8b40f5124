/** Returns the content of a selected file in base64, as the API expects it. */
export function readBase64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).split(',')[1] ?? '');
    reader.onerror = () => reject(reader.error ?? new Error('The browser gave no reason'));
    reader.readAsDataURL(file);
  });
}
