export const texts = {
  progress: 'Upload progress',
  sending: 'Uploading …',
  checking: 'Checking …',
  stop: 'Stop',
  tooLarge: (size: string, max: string) => `The file is ${size}; the limit is ${max}. Nothing was uploaded.`,
};
