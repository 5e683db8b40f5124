export const upload = {
  progress: 'How much of the file is sent',
  sending: 'Sending …',
  checking: 'Being looked at …',
  stop: 'Stop',
  tooLarge: (size: string, max: string) => `The file has ${size}; at most ${max} are taken. Nothing was sent.`,
};
