import jakarta.servlet.MultipartConfigElement;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.StringJoiner;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.catalina.Context;
import org.apache.catalina.Wrapper;
import org.apache.catalina.startup.Tomcat;

/** What Tomcat takes from a request: the program prints its port and answers with what it has read. */
public final class Reader extends HttpServlet {
    private static final Logger ALL = Logger.getLogger("");

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.setContentType("application/json");
        String documents = encode(request.getParameterValues("query"));
        String methods = encode(request.getParameterValues("_method"));
        response.getWriter().print("{\"documents\":" + documents + ",\"methods\":" + methods + "}");
    }

    private static String encode(String[] texts) {
        StringJoiner list = new StringJoiner(",", "[", "]");
        if (texts != null) {
            for (String text : texts) {
                list.add('"' + Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8)) + '"');
            }
        }
        return list.toString();
    }

    /** The first argument is a folder for what Tomcat writes. */
    public static void main(String[] args) throws Exception {
        ALL.setLevel(Level.OFF);
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(args[0]);
        tomcat.setPort(0);
        tomcat.getConnector().setProperty("address", "127.0.0.1");
        tomcat.getConnector().setProperty("relaxedQueryChars", "\"<>[\\]^`{|}");
        tomcat.getConnector().setProperty("relaxedPathChars", "\"<>[\\]^`{|}");
        Context context = tomcat.addContext("", args[0]);
        Wrapper servlet = Tomcat.addServlet(context, "reader", new Reader());
        servlet.setMultipartConfigElement(new MultipartConfigElement(args[0]));
        context.addServletMappingDecoded("/*", "reader");
        tomcat.start();
        System.out.println(tomcat.getConnector().getLocalPort());
        tomcat.getServer().await();
    }
}
