/** Okabe and Ito's palette, distinguishable for most color-blind readers; repeats after its last color. */
const COLORS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#8C8C00", "#5F5F5F"];

export const colorOf = (index: number): string => COLORS[index % COLORS.length] ?? "#0072B2";
