export const DemoButton = () => null;
