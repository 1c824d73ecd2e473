import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [react()],
  build: { chunkSizeWarningLimit: 1500 },
  server: { proxy: { "/api": process.env.WINDTUNNEL_SERVER ?? "http://127.0.0.1:8000" } },
});
